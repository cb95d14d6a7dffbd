-- Lists by status, currency, amount and period of creation read payments without an outcome by an index of their own, as lists by rare values do since migration 146: a
-- payment has one entry in each of the others instead of two. The index by update stays whole: it is the order of every list.
-- A process of the version before, which runs beside this one, walks back through the updates for lists by currency, amount and period: right, and slow where few payments match.
drop index transactions_by_status, transactions_by_currency, transactions_by_amount, transactions_by_period;
create index transactions_processing on transactions (merchant_account_id, updated_at, id) where status = 'processing';
create index transactions_by_status on transactions (merchant_account_id, status, updated_at, id) where status <> 'processing';
create index transactions_by_currency on transactions (merchant_account_id, currency, updated_at, id) where status <> 'processing';
create index transactions_by_amount on transactions (merchant_account_id, amount, updated_at, id) where status <> 'processing';
create index transactions_by_period on transactions
  (merchant_account_id, date_bin('4 hours', created_at, timestamptz '2000-01-01 00:00:00+00'), updated_at, id) include (created_at) where status <> 'processing';

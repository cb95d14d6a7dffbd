-- Indexes in the order of lists end with the time of the update. The id, which decides the order of payments that were updated in the same millisecond, took 16 bytes of each
-- entry: PostgreSQL reads those payments together and sorts them (incremental sort). A batch of a settlement report gives some thousand payments one time.
-- Processes of the version before read these indexes in the same way.
drop index transactions_processing;
create index transactions_processing on transactions (merchant_account_id, updated_at) where status = 'processing';
drop index transactions_by_update;
create index transactions_by_update on transactions (merchant_account_id, updated_at) where status <> 'processing';
drop index transactions_by_status;
create index transactions_by_status on transactions (merchant_account_id, status, updated_at) where status <> 'processing';
drop index transactions_by_currency;
create index transactions_by_currency on transactions (merchant_account_id, currency, updated_at) where status <> 'processing';
drop index transactions_by_amount;
create index transactions_by_amount on transactions (merchant_account_id, amount, updated_at) where status <> 'processing';
drop index transactions_by_label;
create index transactions_by_label on transactions (merchant_account_id, (payment_method->>'label'), updated_at)
  where payment_method->>'label' is not null and status <> 'processing';
drop index transactions_by_error;
create index transactions_by_error on transactions (merchant_account_id, error_code, updated_at) where error_code is not null;
-- a list of a window reads the ids from the table, so the time of creation need not stand here
drop index transactions_by_period;
create index transactions_by_period on transactions
  (merchant_account_id, date_bin('4 hours', created_at, timestamptz '2000-01-01 00:00:00+00'), updated_at) where status <> 'processing';

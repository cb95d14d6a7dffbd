-- Lists of what was created in a window, most recently updated first (transactions/creation-window.ts). Payments of four hours stand together
-- and in the list's order, so that no more than a page of each is read.
create index transactions_by_period on transactions
  (merchant_account_id, date_bin('4 hours', created_at, timestamptz '2000-01-01 00:00:00+00'), updated_at, id) include (created_at);

-- What the other one carried along is read there now. Without it the two entries of a payment, one for each time it is written, share a key.
drop index transactions_by_creation;
create index transactions_by_creation on transactions (merchant_account_id, created_at);

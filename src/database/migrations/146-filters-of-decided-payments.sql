-- A payment is written twice: when it begins, and with its outcome. What rare filters of lists look for is indexed with the outcome, so that each of these indexes
-- has one entry for a payment instead of two. The few payments without an outcome are found by their status; a list reads both (transactions/views/transaction.list.ts).
-- The indexes by update, status, currency, amount and period stay whole: processes of the version before, which run beside this one, list with them.
drop index transactions_by_external_identifier, transactions_by_buyer, transactions_by_buyer_id, transactions_by_email, transactions_by_metadata;
create index transactions_by_external_identifier on transactions (merchant_account_id, external_identifier)
  where external_identifier is not null and status <> 'processing';
create index transactions_by_buyer on transactions (merchant_account_id, (buyer->>'external_identifier'))
  where buyer->>'external_identifier' is not null and status <> 'processing';
create index transactions_by_buyer_id on transactions (merchant_account_id, (buyer->>'id')) where buyer->>'id' is not null and status <> 'processing';
create index transactions_by_email on transactions (merchant_account_id, lower(buyer#>>'{billing_details,email_address}'))
  where buyer#>>'{billing_details,email_address}' is not null and status <> 'processing';
create index transactions_by_metadata on transactions using gin (metadata jsonb_path_ops) where metadata is not null and status <> 'processing';
-- PostgreSQL knows nothing by itself of an expression that a partial index covers (migration 001), and this one is another than there
create statistics transactions_email on (lower(buyer#>>'{billing_details,email_address}')) from transactions;

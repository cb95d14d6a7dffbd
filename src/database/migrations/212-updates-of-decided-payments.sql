-- Lists read payments without an outcome by an index of their own (migration 170), all of them now: a payment has one entry by update instead of two.
-- A process of the version before, which runs beside this one, sorts an account's payments for a list without a filter: right, and slow where there are many.
drop index transactions_by_update;
create index transactions_by_update on transactions (merchant_account_id, updated_at, id) where status <> 'processing';

-- The few operations of a payment are sorted when they are read. Without the id the two entries of an operation share a key.
drop index operations_by_transaction;
create index operations_by_transaction on operations (merchant_account_id, transaction_id);

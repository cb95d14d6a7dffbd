-- A decided operation has its place in the journal, in the order of the commits that decided them (as events have theirs, migration 018): no clock of a process orders it.
-- Null: it is not decided yet, or was by a version before this one.
alter table operations
  add column journal_position bigint,
  -- what the payment service said of the payment's own id when it answered: what the transaction shows follows from it
  add column payment_service_transaction_id text;

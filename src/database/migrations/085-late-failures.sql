-- A payment service may take back a capture, refund or sale after it had succeeded (src/transactions/outcome/late-failure.ts). The operation keeps its outcome, which is sealed; a row of
-- the kind `late-failure` in the journal takes its amounts back.
alter table operations
  -- why the approved operation has failed later: `code`, and the payment service's own words; null: it has not
  add column late_failure jsonb;

alter table operations drop constraint operations_kind_check;
-- every row has one of the kinds before: reading them all would hold payments up
alter table operations add constraint operations_kind_check check (kind in
  ('screening', 'authentication', 'approval', 'authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction', 'redeem', 'reverse', 'gift-card-refund', 'payout',
   'late-failure')) not valid;

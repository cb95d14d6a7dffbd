-- Payments that a buyer approves at the payment service (SPEC §4.11, docs/decisions/004-buyer-approval.md).

alter table transactions
  -- who takes the buyer there and back: the integration, where to return to, the page or the data of the payment service's script; null for a card
  add column approval jsonb,
  -- further ids of the payment at the payment service: authorization, capture, payer
  add column identifiers jsonb;

-- `approval` asks for the buyer's approval and moves no money
alter table operations drop constraint operations_kind_check;
alter table operations add constraint operations_kind_check
  check (kind in ('approval', 'authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction'));

-- What is asked before the money step of a payment, and what decided its way (docs/decisions/006-checks-are-operations.md).

alter table transactions
  -- what flow rules decided, with the reason (SEMANTICS §3.16); null: no rule did
  add column actions jsonb,
  -- the payment services that could have taken it, in the order of trying; null: there was no choice
  add column eligible uuid[],
  -- what the anti-fraud service said: { service, decision, check_id }; null: none was asked
  add column anti_fraud jsonb;

-- `screening` asks an anti-fraud service, `authentication` the card's issuer (3-D Secure); neither moves money
alter table operations drop constraint operations_kind_check;
alter table operations add constraint operations_kind_check check (kind in
  ('screening', 'authentication', 'approval', 'authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction',
   'redeem', 'reverse', 'gift-card-refund'));

-- What pays, sealed, while the cardholder is with the card's issuer; taken by the money step, erased with the time for it.
create table held_instruments (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  key_id text not null,
  data_key bytea not null,
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (merchant_account_id, id)
);
create index held_instruments_by_expiry on held_instruments (expires_at);

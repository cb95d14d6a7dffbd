-- Money to cards (SEMANTICS §13). What is true of a payout now; how it came to be is an operation of the kind `payout`.
create table payouts (
  merchant_account_id text not null,
  id uuid not null,
  status text not null check (status in ('pending', 'succeeded', 'declined', 'failed')),
  amount bigint not null check (amount > 0),
  currency text not null,
  payment_service_id uuid not null,
  -- as they were when it was created, without a card's number
  payment_service jsonb not null,
  payment_method jsonb not null,
  buyer jsonb,
  category text,
  merchant jsonb,
  connection_options jsonb,
  external_identifier text,
  payment_service_payout_id text,
  -- how many events the merchant's systems have been told of it
  event_count int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create index payouts_by_update on payouts (merchant_account_id, updated_at, id);
create index payouts_by_status on payouts (merchant_account_id, status, updated_at, id);
create index payouts_by_creation on payouts (merchant_account_id, created_at);
create index payouts_by_external_identifier on payouts (merchant_account_id, external_identifier) where external_identifier is not null;
create index payouts_by_service_id on payouts (merchant_account_id, payment_service_payout_id) where payment_service_payout_id is not null;

alter table operations drop constraint operations_kind_check;
alter table operations add constraint operations_kind_check check (kind in
  ('screening', 'authentication', 'approval', 'authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction', 'redeem', 'reverse', 'gift-card-refund', 'payout'));
comment on column operations.transaction_id is 'What the operation is about: the transaction; of the kind payout, the payout';

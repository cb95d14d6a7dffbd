-- Cards that a buyer's platform delegates for one payment (docs/decisions/018-delegated-payments.md). The
-- statement that creates the payment reserves the row, and the commit that decides it uses it up or gives it back.
create table delegated_payments (
  merchant_account_id text not null,
  id uuid not null,
  -- the platform's id of the checkout session
  checkout_session_id text not null,
  currency text not null,
  max_amount bigint not null constraint delegated_payments_max_amount check (max_amount > 0),
  expires_at timestamptz not null,
  risk_signals jsonb not null,
  metadata jsonb not null,
  -- the payment that reserves it, or has used it
  transaction_id uuid,
  reserved_amount bigint,
  -- since when the payment has had an effect; nothing is paid with it any more
  used_at timestamptz,
  -- sealed: the card, its holder and the billing address; null: erased
  key_id text,
  data_key bytea,
  sealed bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint delegated_payments_within_allowance check (reserved_amount <= max_amount),
  constraint delegated_payments_reserved check ((transaction_id is null) = (reserved_amount is null)),
  constraint delegated_payments_used check (used_at is null or (transaction_id is not null and sealed is null))
);

create index delegated_payments_to_erase on delegated_payments (expires_at) where sealed is not null;

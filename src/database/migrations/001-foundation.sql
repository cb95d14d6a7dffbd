-- Every table of a merchant's data carries merchant_account_id first in its key (DESIGN §9). The tables of the payment path have no
-- foreign keys: a key check on merchant_accounts would lock one shared row in every payment. Their statements insert parent and child together.

create table merchant_accounts (
  id text primary key,
  display_name text not null,
  over_capture_amount bigint check (over_capture_amount >= 0),
  over_capture_percentage bigint check (over_capture_percentage >= 0),
  account_updater_enabled boolean not null default false,
  async_network_tokens_enabled boolean not null default false,
  -- identifiers that other parties gave this account: loon_*, account_updater_*_id, *_network_tokens_*
  identifiers jsonb not null default '{}',
  -- sealed JSON of the secret ones among them; null when there is none
  secrets bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- a network token requestor or app id belongs to one account only (SEMANTICS §16.1)
create table network_token_identifiers (
  identifier text primary key,
  merchant_account_id text not null references merchant_accounts
);

create table api_key_pairs (
  id uuid primary key,
  display_name text not null,
  algorithm text not null,
  -- RFC 7638; the `kid` of the tokens that this key signs
  thumbprint text not null unique,
  public_jwk jsonb not null,
  role_ids text[] not null,
  -- empty: all accounts
  merchant_account_ids text[] not null default '{}',
  active boolean not null default true,
  deleted_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table payment_services (
  merchant_account_id text not null references merchant_accounts,
  id uuid not null,
  payment_service_definition_id text not null,
  method text not null,
  display_name text not null,
  active boolean not null,
  position integer not null,
  accepted_currencies text[] not null,
  accepted_countries text[] not null,
  payment_method_tokenization_enabled boolean not null,
  network_tokens_enabled boolean not null,
  open_loop boolean not null,
  settlement_reporting_enabled boolean not null,
  three_d_secure_enabled boolean not null,
  merchant_profile jsonb,
  fields jsonb not null,
  reporting_fields jsonb not null,
  -- sealed JSON of the secret fields; null when there is none
  secrets bytea,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

-- PostgreSQL logs an update as the run of bytes that changed, if the new version fits beside the old one. So the columns that never change come first, the
-- changing ones after them, and the wide ones of each before the narrow ones, which need no padding then (docs/performance.md).
create table transactions (
  created_at timestamptz not null,
  amount bigint not null check (amount >= 0),
  -- how far beyond the authorization this payment may be captured (SEMANTICS §3.5)
  over_capture_allowance bigint not null check (over_capture_allowance >= 0),
  merchant_account_id text not null,
  id uuid not null,
  intent text not null,
  currency text not null,
  country text,
  method text,
  instrument_type text,
  payment_method jsonb,
  payment_service_id uuid,
  payment_service jsonb,
  buyer jsonb,
  shipping_details jsonb,
  external_identifier text,
  metadata jsonb,
  -- what the merchant sent and nobody searches: cart, airline, level 2/3 data, connection options
  details jsonb not null,
  payment_source text not null,
  merchant_initiated boolean not null,
  is_subsequent_payment boolean not null,
  ip_address text,
  checkout_session_id uuid,
  payment_link_id uuid,
  reauthorized_from_transaction_id uuid,
  authorized_amount bigint not null check (authorized_amount >= 0),
  captured_amount bigint not null,
  refunded_amount bigint not null,
  -- what open captures reserve of the authorization, and open refunds of the captured amount
  capture_reserved bigint not null check (capture_reserved >= 0),
  refund_reserved bigint not null check (refund_reserved >= 0),
  settled_amount bigint not null,
  approval_expires_at timestamptz,
  buyer_approval_timedout_at timestamptz,
  authorized_at timestamptz,
  captured_at timestamptz,
  voided_at timestamptz,
  canceled_at timestamptz,
  updated_at timestamptz not null,
  status text not null constraint transactions_status_known check (status in (
    'processing', 'buyer_approval_pending', 'authorization_succeeded', 'authorization_declined', 'authorization_failed',
    'authorization_void_pending', 'authorization_voided', 'capture_pending', 'capture_succeeded')),
  intent_outcome text not null,
  -- a final capture, or a single one, has ended the authorization
  capture_closed boolean not null,
  pending_review boolean not null,
  disputed boolean not null,
  settled boolean not null,
  settled_currency text,
  -- the authorization, capture, void, cancellation or increment whose outcome is not known yet: no other may begin
  active_operation_id uuid,
  payment_service_transaction_id text,
  error_code text,
  -- what the payment service said of the authorization: raw, AVS, CVV and ISO codes, scheme transaction id
  facts jsonb not null,
  three_d_secure jsonb,
  primary key (merchant_account_id, id),
  -- DESIGN §1.1: whatever the code does, these hold
  constraint captured_within_authorization check (captured_amount >= 0 and captured_amount + capture_reserved <= authorized_amount + over_capture_allowance),
  constraint refunded_within_capture check (refunded_amount >= 0 and refunded_amount + refund_reserved <= captured_amount)
);

create index transactions_by_update on transactions (merchant_account_id, updated_at, id);
create index transactions_by_status on transactions (merchant_account_id, status, updated_at, id);
create index transactions_by_currency on transactions (merchant_account_id, currency, updated_at, id);
create index transactions_by_amount on transactions (merchant_account_id, amount, updated_at, id);
create index transactions_by_creation on transactions (merchant_account_id, created_at) include (updated_at, id);
create index transactions_by_external_identifier on transactions (merchant_account_id, external_identifier) where external_identifier is not null;
create index transactions_by_service_id on transactions (merchant_account_id, payment_service_transaction_id) where payment_service_transaction_id is not null;
create index transactions_by_error on transactions (merchant_account_id, error_code, updated_at, id) where error_code is not null;
create index transactions_by_buyer on transactions (merchant_account_id, (buyer->>'external_identifier')) where buyer->>'external_identifier' is not null;
create index transactions_by_buyer_id on transactions (merchant_account_id, (buyer->>'id')) where buyer->>'id' is not null;
create index transactions_by_buyer_email on transactions (merchant_account_id, (buyer#>>'{billing_details,email_address}')) where buyer#>>'{billing_details,email_address}' is not null;
create index transactions_by_metadata on transactions using gin (metadata jsonb_path_ops) where metadata is not null;
-- Of the expressions that a partial index covers PostgreSQL knows nothing by itself: it took every buyer for one in 200 payments, and walked the
-- account instead of using the index. These cost nothing when a payment is written.
create statistics transactions_buyer on (buyer->>'external_identifier') from transactions;
create statistics transactions_buyer_id on (buyer->>'id') from transactions;
create statistics transactions_buyer_email on (buyer#>>'{billing_details,email_address}') from transactions;

-- The journal: every outward money effect (DESIGN §5). Captures and refunds are operations of that kind.
create table operations (
  created_at timestamptz not null,
  amount bigint not null check (amount >= 0),
  merchant_account_id text not null,
  -- the payment service's idempotency key
  id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction')),
  currency text not null,
  payment_service_id uuid,
  -- what the merchant asked beyond the amount: final, reason, external identifier, cart
  input jsonb not null,
  idempotency_scope text,
  idempotency_key text,
  updated_at timestamptz not null,
  -- what took effect; null until it did
  effective_amount bigint,
  -- when recovery looks it up next; null when there is nothing to find out
  check_at timestamptz,
  settled_at timestamptz,
  checks integer not null,
  status text not null check (status in ('queued', 'sent', 'unknown', 'pending', 'approved', 'declined', 'failed')),
  payment_service_operation_id text,
  error_code text,
  facts jsonb not null,
  -- the requests to the payment service and its answers, with their times
  exchanges jsonb not null,
  primary key (merchant_account_id, id)
);

create index operations_by_transaction on operations (merchant_account_id, transaction_id, id);
create index operations_to_check on operations (check_at) where check_at is not null;

create table idempotency_keys (
  merchant_account_id text not null,
  -- method and path
  scope text not null,
  key text not null,
  -- keyed hash of the body; never the body, which may hold a card number
  fingerprint bytea not null,
  resource_id uuid not null,
  -- how the answer is shown: a name of `transactions/representation.ts`
  representation text not null,
  -- the rows that the answer shows, as they were; null while the first request is under way
  answer json,
  created_at timestamptz not null,
  primary key (merchant_account_id, scope, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);

-- The payment's story for people (SEMANTICS §3.17). One row for each commit, since they are written and read together.
create table transaction_events (
  merchant_account_id text not null,
  transaction_id uuid not null,
  id uuid not null,
  entries jsonb not null,
  primary key (merchant_account_id, transaction_id, id)
);

-- The outbox: one row for each event that the merchant's systems are told of (SEMANTICS §15.4), written with the change itself.
create table events (
  merchant_account_id text not null,
  id uuid not null,
  name text not null,
  target_type text not null,
  target_id uuid not null,
  target json not null,
  created_at timestamptz not null,
  primary key (merchant_account_id, id)
);

-- The last requests of each browser token (SPEC §8).
create table rate_limits (
  key text primary key,
  hits timestamptz[] not null
);

-- What the card schemes' token service keeps for a stored card. The id is the one it is asked under, so that a lost answer is asked for again.
-- Rows outlive their payment method until the token service has deleted the token, too: no foreign key.
create table network_tokens (
  merchant_account_id text not null,
  id uuid not null,
  payment_method_id uuid not null,
  -- requested: asked for, and not answered yet; inactive: to be deleted at the token service
  status text not null check (status in ('requested', 'active', 'inactive', 'suspended')),
  scheme text not null,
  expiration_date text,
  -- the token's own number: an envelope (src/vault/envelope.ts); null before it is known, and once it is to be deleted
  key_id text,
  data_key bytea,
  sealed bytea,
  -- when the token service is asked again; null: nothing is open
  check_at timestamptz,
  checks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index network_tokens_one_for_each_method on network_tokens (merchant_account_id, payment_method_id) where status <> 'inactive';
create index network_tokens_by_method on network_tokens (merchant_account_id, payment_method_id);
create index network_tokens_due on network_tokens (check_at) where check_at is not null;
create index network_tokens_by_key on network_tokens (key_id) where key_id is not null;

-- What a payment service keeps for a stored card, good there only.
create table payment_service_tokens (
  merchant_account_id text not null,
  id uuid not null,
  payment_method_id uuid not null,
  payment_service_id uuid not null,
  status text not null check (status in ('processing', 'succeeded', 'failed')),
  -- of the card that it stands for: one that replaces the card needs a new token
  fingerprint text,
  key_id text,
  data_key bytea,
  sealed bytea,
  check_at timestamptz,
  checks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index payment_service_tokens_one_for_each_service on payment_service_tokens (merchant_account_id, payment_method_id, payment_service_id) where status <> 'failed';
create index payment_service_tokens_by_method on payment_service_tokens (merchant_account_id, payment_method_id);
create index payment_service_tokens_due on payment_service_tokens (check_at) where check_at is not null;
create index payment_service_tokens_by_key on payment_service_tokens (key_id) where key_id is not null;

-- Newer details of a stored card, held until the old ones prove invalid (SEMANTICS §16.5). The id is the payment method's.
create table card_replacements (
  merchant_account_id text not null,
  id uuid not null,
  expiration_date text not null,
  key_id text not null,
  data_key bytea not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create index card_replacements_by_key on card_replacements (key_id);

create table account_updater_inquiries (
  merchant_account_id text not null,
  id uuid not null,
  job_id uuid not null,
  payment_method_id uuid not null,
  -- null while it is in progress; what came of it otherwise
  result text check (result in ('updated', 'unchanged', 'closed', 'failed')),
  check_at timestamptz,
  checks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index account_updater_inquiries_one_in_progress on account_updater_inquiries (merchant_account_id, payment_method_id) where result is null;
create index account_updater_inquiries_due on account_updater_inquiries (check_at) where check_at is not null;

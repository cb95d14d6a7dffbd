create table buyers (
  merchant_account_id text not null references merchant_accounts,
  id uuid not null,
  display_name text,
  external_identifier text,
  billing_details jsonb,
  account_number text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index buyers_external_identifier on buyers (merchant_account_id, external_identifier) where external_identifier is not null;
create index buyers_by_creation on buyers (merchant_account_id, created_at, id);

create table shipping_details (
  merchant_account_id text not null,
  id uuid not null,
  buyer_id uuid not null,
  first_name text,
  last_name text,
  email_address text,
  phone_number text,
  address jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  foreign key (merchant_account_id, buyer_id) references buyers on delete cascade
);

create index shipping_details_by_buyer on shipping_details (merchant_account_id, buyer_id, id);

-- What buyers pay with again. Payments insert and touch these rows, so there are no foreign keys (001).
create table payment_methods (
  merchant_account_id text not null,
  id uuid not null,
  -- stored with a payment that has not succeeded yet: nobody sees it, and it goes when the payment fails (SEMANTICS §3.9, `store`)
  provisional boolean not null default false,
  status text not null check (status in ('processing', 'buyer_approval_required', 'succeeded', 'failed', 'paused')),
  method text not null,
  mode text not null,
  buyer_id uuid,
  external_identifier text,
  label text,
  scheme text,
  additional_schemes text[],
  bin text,
  card_type text,
  card_issuer_name text,
  card_country text,
  expiration_date text,
  -- keyed HMAC of the card number: the same card has the same one, under every master key
  fingerprint text,
  country text,
  currency text,
  approval_url text,
  -- the card number, or whatever else the method is paid with: an envelope (src/vault/envelope.ts); null where there is no secret
  key_id text,
  data_key bytea,
  sealed bytea,
  has_replacement boolean not null default false,
  last_replaced_at timestamptz,
  usage_count integer not null default 0,
  cit_usage_count integer not null default 0,
  last_used_at timestamptz,
  cit_last_used_at timestamptz,
  scheme_transaction_id text,
  scheme_transaction_id_scheme text,
  transaction_link_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index payment_methods_external_identifier on payment_methods (merchant_account_id, external_identifier) where external_identifier is not null;
create index payment_methods_by_creation on payment_methods (merchant_account_id, created_at, id);
create index payment_methods_by_buyer on payment_methods (merchant_account_id, buyer_id, created_at, id) where buyer_id is not null;
create index payment_methods_by_fingerprint on payment_methods (merchant_account_id, fingerprint) where fingerprint is not null;
create index payment_methods_by_key on payment_methods (key_id) where key_id is not null;

create index transactions_by_payment_method on transactions (merchant_account_id, (payment_method->>'id')) where payment_method->>'id' is not null;
create statistics transactions_payment_method on (payment_method->>'id') from transactions;

-- One wallet for each provider and account (SEMANTICS §11).
create table digital_wallets (
  merchant_account_id text not null references merchant_accounts,
  id uuid not null,
  provider text not null check (provider in ('apple', 'google', 'click-to-pay')),
  merchant_name text not null,
  merchant_display_name text,
  merchant_url text,
  merchant_country_code text,
  merchant_category_code text,
  address json,
  extra_configuration json,
  -- in lower case
  domain_names text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index digital_wallets_provider on digital_wallets (merchant_account_id, provider);
-- Apple asks a shop's domain whose it is; the domain is all that is known then
create index digital_wallets_domains on digital_wallets using gin (domain_names);

-- Certificates that Apple gives a merchant for keys made here. Without `certificate`: asked for, and not uploaded yet.
create table apple_pay_certificates (
  merchant_account_id text not null,
  id uuid not null,
  digital_wallet_id uuid not null,
  purpose text not null check (purpose in ('payment-processing', 'merchant-identity')),
  certificate_signing_request text not null,
  -- PEM
  certificate text,
  expires_at timestamptz,
  -- the private key: an envelope (src/vault/envelope.ts)
  key_id text not null,
  data_key bytea not null,
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  foreign key (merchant_account_id, digital_wallet_id) references digital_wallets on delete cascade
);

create index apple_pay_certificates_by_wallet on apple_pay_certificates (merchant_account_id, digital_wallet_id, created_at);

-- A wallet's token pays once. A row is kept for as long as the token would be taken.
create table used_wallet_tokens (
  merchant_account_id text not null,
  source text not null check (source in ('apple-pay', 'google-pay')),
  -- SHA-256 of the wallet's name for the token
  token bytea not null,
  usable_until timestamptz not null,
  primary key (merchant_account_id, source, token)
);

create index used_wallet_tokens_by_age on used_wallet_tokens (usable_until);

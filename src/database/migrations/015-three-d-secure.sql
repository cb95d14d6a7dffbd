-- Who asks for a cardholder's authentication: what an account's acquirers have agreed with the card schemes (SEMANTICS §7.1).
create table three_d_secure_configurations (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  scheme text not null,
  -- ISO 4217; null: any
  currency text,
  metadata json not null,
  -- of the metadata, whatever the order of its keys: a map may be longer than what an index holds
  metadata_digest bytea not null,
  merchant_acquirer_bin text not null,
  merchant_acquirer_id text not null,
  merchant_name text not null,
  -- ISO 3166-1 numeric
  merchant_country_code text not null,
  merchant_category_code text not null,
  merchant_url text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

-- "any currency" counts as one, too
create unique index three_d_secure_configurations_once
  on three_d_secure_configurations (merchant_account_id, scheme, currency, metadata_digest) nulls not distinct;

-- What the sandbox's issuers answer to whom (SEMANTICS §7.3).
create table three_d_secure_scenarios (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  -- every condition, null where it asks nothing; a card number is masked
  conditions json not null,
  -- of the card number among the conditions
  card_fingerprint text,
  outcome json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);
create index three_d_secure_scenarios_by_creation on three_d_secure_scenarios (merchant_account_id, created_at, id);

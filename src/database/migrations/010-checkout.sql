-- What the first digits of a card number say. They belong to no merchant: the one table without an account.
create table bins (
  -- 6 to 8 digits; the longest that fits a number counts
  prefix text primary key,
  scheme text not null,
  -- of a card that carries two schemes, the other ones
  additional_schemes text[] not null,
  card_type text,
  issuer text,
  country text
);

-- What a buyer is about to pay, and with what. A browser knows the id and nothing else, so it is unique by itself.
create table checkout_sessions (
  merchant_account_id text not null,
  id uuid not null unique,
  -- the values that a transaction takes over (SEMANTICS §9); a null member counts as absent
  details jsonb not null,
  -- what may be shown of the payment method; null until the fields were set
  payment_method jsonb,
  postal_code text,
  -- what may not: an envelope (src/vault/envelope.ts); null where there is no secret
  key_id text,
  data_key bytea,
  sealed bytea,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create index checkout_sessions_by_expiry on checkout_sessions (expires_at);

-- Kept apart from what they belong to, each for one use or until it expires (SEMANTICS §5.6).
create table security_codes (
  merchant_account_id text not null,
  -- of what it was entered for, e.g. a checkout session
  id uuid not null,
  key_id text not null,
  data_key bytea not null,
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create index security_codes_by_expiry on security_codes (expires_at);

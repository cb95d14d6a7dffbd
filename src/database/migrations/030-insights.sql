-- What the metrics explorer adds up (docs/decisions/013-insights-in-columns.md): the payments that were created within an hour, one packed column for each
-- of their dimensions (`insights/dimension.ts`, `insights/packed-hour.ts`). A question reads the columns that it is about: long ones lie beside the row.
create table insight_hours (
  merchant_account_id text not null references merchant_accounts (id),
  hour timestamptz not null,
  id bytea not null,
  created bytea not null,
  amount bytea not null,
  counted bytea not null,
  authentication_outcome bytea not null,
  authorized bytea not null,
  country bytea not null,
  currency bytea not null,
  error_code bytea not null,
  instrument_type bytea not null,
  is_subsequent_payment bytea not null,
  liability_shifted bytea not null,
  merchant_initiated bytea not null,
  metadata bytea not null,
  method bytea not null,
  payment_method_bin bytea not null,
  payment_method_card_issuer_name bytea not null,
  payment_method_card_type bytea not null,
  payment_method_country bytea not null,
  payment_method_scheme bytea not null,
  payment_service_id bytea not null,
  payment_source bytea not null,
  raw_response_code bytea not null,
  rule_id_route_transaction bytea not null,
  rule_id_skip_3ds bytea not null,
  rule_variant_id bytea not null,
  three_d_secure_auth_resp bytea not null,
  three_d_secure_eci bytea not null,
  three_d_secure_method bytea not null,
  primary key (merchant_account_id, hour)
);
-- packed already: trying to compress them costs more than it saves
alter table insight_hours
  alter column id set storage external,
  alter column created set storage external,
  alter column amount set storage external,
  alter column counted set storage external,
  alter column authentication_outcome set storage external,
  alter column authorized set storage external,
  alter column country set storage external,
  alter column currency set storage external,
  alter column error_code set storage external,
  alter column instrument_type set storage external,
  alter column is_subsequent_payment set storage external,
  alter column liability_shifted set storage external,
  alter column merchant_initiated set storage external,
  alter column metadata set storage external,
  alter column method set storage external,
  alter column payment_method_bin set storage external,
  alter column payment_method_card_issuer_name set storage external,
  alter column payment_method_card_type set storage external,
  alter column payment_method_country set storage external,
  alter column payment_method_scheme set storage external,
  alter column payment_service_id set storage external,
  alter column payment_source set storage external,
  alter column raw_response_code set storage external,
  alter column rule_id_route_transaction set storage external,
  alter column rule_id_skip_3ds set storage external,
  alter column rule_variant_id set storage external,
  alter column three_d_secure_auth_resp set storage external,
  alter column three_d_secure_eci set storage external,
  alter column three_d_secure_method set storage external;

create table insight_progress (
  merchant_account_id text primary key references merchant_accounts (id),
  -- every change of a payment that was made before (`updated_at`) is in the columns; later ones may be
  complete_until timestamptz not null
);

-- Questions to the explorer that people keep under a name.
create table insight_presets (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  source text not null check (source in ('authentication', 'authorization', 'monitoring')),
  display_name text not null,
  metric text not null check (metric in ('volume', 'transactions', 'auth_rate')),
  -- as they were sent; not jsonb, since a NUL character stands for null
  filters json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);
create index insight_presets_by_source on insight_presets (merchant_account_id, source, created_at, id);

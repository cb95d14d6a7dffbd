-- The origins of the merchant's pages that may show Railyard's card fields.
create table elements_configurations (
  merchant_account_id text primary key,
  allowed_origins jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Who is asked whether a payment is fraud (SEMANTICS §6.3).
create table anti_fraud_services (
  merchant_account_id text not null references merchant_accounts,
  id uuid not null,
  anti_fraud_service_definition_id text not null,
  display_name text not null,
  active boolean not null,
  -- of several active ones the first is asked
  position integer not null,
  fields jsonb not null,
  -- sealed JSON of the secret fields; null when there is none
  secrets bytea,
  -- what it holds for review it may still decide
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);
create index anti_fraud_services_by_creation on anti_fraud_services (merchant_account_id, created_at, id);

-- What merchants decide by rules (SEMANTICS §3.16). A version of a flow's rules is one document: their order is part of it.
create table flow_rulesets (
  merchant_account_id text not null references merchant_accounts (id),
  flow text not null check (flow in ('checkout', 'card-transaction', 'non-card-transaction', 'redirect-transaction')),
  version int not null check (version > 0),
  state text not null check (state in ('draft', 'live', 'retired')),
  -- as they were sent, in their order: [{ id, display_name, action, active, condition, outcome }]
  rules json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- null: it has never been live
  published_at timestamptz,
  primary key (merchant_account_id, flow, version)
);
create unique index flow_rulesets_one_draft on flow_rulesets (merchant_account_id, flow) where state = 'draft';
create unique index flow_rulesets_one_live on flow_rulesets (merchant_account_id, flow) where state = 'live';

-- Filters and columns of lists that people keep under a name (src/accounts/saved-views).
create table saved_views (
  merchant_account_id text not null,
  id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  columns jsonb not null,
  shared boolean not null,
  owner_type text not null,
  owner_id text not null,
  owner_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  -- only people have private ones
  constraint saved_views_private_of_people check (shared or owner_type = 'user')
);

create index saved_views_by_owner on saved_views (merchant_account_id, owner_id);
create index saved_views_shared on saved_views (merchant_account_id, name) where shared;

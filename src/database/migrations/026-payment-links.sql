-- Links that merchants send, and that one payment at most pays (SEMANTICS §14).
create table payment_links (
  merchant_account_id text not null,
  id uuid not null,
  -- a keyed hash of the URL's token, by which a page finds its link
  token_hash bytea not null,
  -- sealed: the token, so that the URL can be shown again, and connection options, which may name a card
  secrets bytea not null,
  -- one whose time is over is expired for every reader, though this may still say `active`
  status text not null constraint payment_links_status_known check (status in ('active', 'processing', 'completed', 'expired')),
  -- the payment that was made through it last
  transaction_id uuid,
  expires_at timestamptz not null,
  amount bigint not null check (amount >= 0),
  country text not null,
  currency text not null,
  intent text not null,
  payment_source text not null,
  store boolean not null,
  buyer_id uuid,
  -- who was to pay when it was made, as it is shown and searched
  buyer jsonb,
  external_identifier text,
  metadata jsonb,
  -- what else the merchant sent, and nobody searches
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint payment_links_paid check (status not in ('processing', 'completed') or transaction_id is not null)
);

create unique index payment_links_by_token on payment_links (token_hash);
create index payment_links_by_update on payment_links (merchant_account_id, updated_at, id);
create index payment_links_by_status on payment_links (merchant_account_id, status, updated_at, id);
-- what expires next, of whatever account
create index payment_links_by_expiry on payment_links (expires_at) where status = 'active';

create index transactions_by_payment_link on transactions (merchant_account_id, payment_link_id) where payment_link_id is not null;

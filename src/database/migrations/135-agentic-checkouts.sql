-- The checkout of the Agentic Commerce Protocol (docs/decisions/019-agentic-checkouts.md).

-- How an account sells through AI agents' platforms.
create table agentic_sellers (
  merchant_account_id text primary key,
  id uuid not null unique,
  -- the merchant's endpoint that prices carts
  pricing_url text not null,
  intent text not null,
  -- sealed: the secret that requests to `pricing_url` are signed with
  secrets bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A checkout session of a platform. The statement that creates its payment moves it from `open` to
-- `completing`, and the commit that decides the payment completes it or opens it again.
create table agentic_checkouts (
  merchant_account_id text not null,
  id uuid not null,
  -- the key pair or person that created it: no other platform sees it
  platform_id uuid not null,
  status text not null constraint agentic_checkouts_status check (status in ('open', 'completing', 'completed', 'canceled')),
  -- counts the prices: a payment names the one that it pays
  revision int not null,
  -- what the platform has asked for: the cart, the buyer, where it is sent
  request jsonb not null,
  -- the merchant's last answer, which the platform was shown
  price jsonb not null,
  -- the total of `price`
  amount bigint not null,
  currency text not null,
  -- whether the merchant takes a payment of this price
  ready boolean not null,
  -- the merchant's order, once the merchant has confirmed it
  "order" jsonb,
  -- the payment that completes it
  transaction_id uuid,
  -- why the last payment came to nothing; null: none has, or the cart has changed since
  error_code text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint agentic_checkouts_payment check ((transaction_id is not null) = (status in ('completing', 'completed')))
);

create unique index agentic_checkouts_by_payment on agentic_checkouts (merchant_account_id, transaction_id) where transaction_id is not null;
create index agentic_checkouts_to_delete on agentic_checkouts (expires_at) where status in ('open', 'canceled');

-- What a subscription is sent: the account's events, or orders of agentic checkouts in the protocol's form.
alter table webhook_subscriptions add column form text not null default 'event';
create unique index webhook_subscriptions_of_orders on webhook_subscriptions (merchant_account_id) where form = 'agentic-order' and deleted_at is null;

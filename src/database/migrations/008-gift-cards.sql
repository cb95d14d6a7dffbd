create table gift_card_services (
  merchant_account_id text not null references merchant_accounts,
  id uuid not null,
  gift_card_service_definition_id text not null,
  display_name text not null,
  active boolean not null,
  fields jsonb not null,
  -- sealed JSON of the secret fields; null when there is none
  secrets bytea,
  -- redemptions that went through it can still be undone
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

-- the active one is the account's primary (SEMANTICS §10)
create unique index gift_card_services_primary on gift_card_services (merchant_account_id) where active;
create index gift_card_services_by_creation on gift_card_services (merchant_account_id, created_at, id);

create table gift_cards (
  merchant_account_id text not null,
  id uuid not null,
  gift_card_service_id uuid not null,
  buyer_id uuid,
  bin text not null,
  sub_bin text not null,
  last4 text not null,
  -- keyed HMAC of the number: the same card has the same one, under every master key
  fingerprint text not null,
  -- number and PIN: an envelope (src/vault/envelope.ts)
  key_id text not null,
  data_key bytea not null,
  sealed bytea not null,
  expiration_date timestamptz,
  -- found expired or empty: no buyer is offered it any more
  archived_at timestamptz,
  usage_count integer not null default 0,
  cit_usage_count integer not null default 0,
  last_used_at timestamptz,
  cit_last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  foreign key (merchant_account_id, gift_card_service_id) references gift_card_services,
  -- a deleted buyer's cards stay and belong to nobody
  foreign key (merchant_account_id, buyer_id) references buyers on delete set null (buyer_id)
);

create unique index gift_cards_of_buyer on gift_cards (merchant_account_id, buyer_id, fingerprint) where buyer_id is not null and archived_at is null;
create index gift_cards_by_creation on gift_cards (merchant_account_id, created_at, id);
create index gift_cards_by_buyer on gift_cards (merchant_account_id, buyer_id, created_at, id) where buyer_id is not null;
create index gift_cards_by_service on gift_cards (merchant_account_id, gift_card_service_id);
create index gift_cards_by_key on gift_cards (key_id);

create table gift_card_issuances (
  merchant_account_id text not null,
  -- the idempotency key of the issuance at the gift card service, too
  id uuid not null,
  gift_card_service_id uuid not null,
  gift_card_service_payment_issuance_id text not null,
  url text not null,
  theme text not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
  external_identifier text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  foreign key (merchant_account_id, gift_card_service_id) references gift_card_services
);

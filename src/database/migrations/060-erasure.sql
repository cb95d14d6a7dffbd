-- Buyers whose personal data are to be erased (docs/privacy.md). A row with a `due_at` is a job, taken up by any process, again after a crash.
create table buyer_erasures (
  merchant_account_id text not null,
  -- of a buyer that is gone
  buyer_id uuid not null,
  -- what the merchant called the buyer, by which payments without the id are found; null: it had no name, or the erasure is over
  external_identifier text,
  -- how many payments, payouts and payment links wait for what is under way, as of the last pass
  waiting int not null default 0,
  -- when a process takes it up next; null: it is over
  due_at timestamptz,
  requested_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, buyer_id),
  constraint buyer_erasures_over check ((due_at is null) = (completed_at is not null))
);
create index buyer_erasures_due on buyer_erasures (due_at) where due_at is not null;

-- Null: nobody asked for it to be erased. -infinity: it is to be. Otherwise when it was; what changed since is erased again.
alter table transactions add column erased_at timestamptz;
create index transactions_to_erase on transactions (merchant_account_id, id) where erased_at < updated_at;

-- Of the events that tell of a buyer, whom they tell of: the buyer's id, or that of the resource where it has none. Payments write no row of it.
create index events_of_people on events (merchant_account_id, (coalesce(target #>> '{buyer,id}', target ->> 'buyer_id', target ->> 'id')), position)
 where name like 'buyer.%' or name like 'shipping-details.%' or name like 'payment-method.%' or name like 'gift-card.%' or name like 'payout.%' or name like 'payment-link.%';

create index idempotency_keys_of_gift_cards on idempotency_keys (merchant_account_id, resource_id) where representation = 'gift-card';
create index payouts_by_buyer on payouts (merchant_account_id, (buyer ->> 'id')) where buyer ->> 'id' is not null;
create index payouts_by_buyer_name on payouts (merchant_account_id, (buyer ->> 'external_identifier')) where buyer ->> 'external_identifier' is not null;
create index payment_links_by_buyer on payment_links (merchant_account_id, buyer_id) where buyer_id is not null;
create index payment_links_by_buyer_name on payment_links (merchant_account_id, (buyer ->> 'external_identifier')) where buyer ->> 'external_identifier' is not null;

-- Who is told of events (SEMANTICS §15).
create table webhook_subscriptions (
  id uuid primary key,
  -- null: of the instance, which is told of every account's events
  merchant_account_id text,
  url text not null,
  active boolean not null,
  -- kind and what of it is no secret
  authentication jsonb,
  -- sealed: the signing secrets, the newest first, and the secrets of `authentication`
  secrets bytea not null,
  -- until when deliveries carry a signature of the secret before, too
  rotating_until timestamptz,
  creator jsonb,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index webhook_subscriptions_by_creation on webhook_subscriptions (merchant_account_id, created_at, id);

-- How far each subscription is: one process at a time tends it, by a lease.
create table webhook_queues (
  webhook_subscription_id uuid primary key,
  -- the place in the log up to which everything is in `webhook_deliveries`
  position bigint not null,
  sequence int not null,
  event_id uuid not null,
  leased_by uuid,
  leased_until timestamptz not null default '-infinity',
  -- while nobody answers at its URL: when to knock again, how often that has failed, and since when
  resume_at timestamptz not null default '-infinity',
  failures int not null default 0,
  failing_since timestamptz
);

-- What became of telling a subscription of an event. The id is the event's, so one event has one row, however often it is sent.
create table webhook_deliveries (
  webhook_subscription_id uuid not null,
  id uuid not null,
  merchant_account_id text not null,
  -- the event's place in the log, and its resource
  position bigint not null,
  sequence int not null,
  target_id uuid not null,
  event_name text not null,
  status text not null constraint webhook_deliveries_status_known check (status in ('waiting', 'succeeded', 'failed')),
  attempts int not null,
  -- those since it was first due, or asked for again: what the pauses between attempts grow with
  tries int not null,
  -- the last of them: when, what was answered, how long it took
  history jsonb not null,
  -- when the next attempt is due; null: none is, or an earlier event of the same resource is still waiting
  due_at timestamptz,
  -- when it is given up: seven days after the event, or after it was asked for again
  give_up_at timestamptz not null,
  -- of the event
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (webhook_subscription_id, id),
  constraint webhook_deliveries_due check (due_at is null or status = 'waiting')
);

create index webhook_deliveries_waiting on webhook_deliveries (webhook_subscription_id, target_id, position, sequence) where status = 'waiting';
create index webhook_deliveries_due on webhook_deliveries (webhook_subscription_id, due_at) where status = 'waiting';
create index webhook_deliveries_dead on webhook_deliveries (webhook_subscription_id, id) where status = 'failed';

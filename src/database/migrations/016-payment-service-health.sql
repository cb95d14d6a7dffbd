-- How well payment services answer: what every process counts of its calls, and the circuit breaker that follows from it.

-- One row for each payment service that was ever found unwell; none: its circuit has always been closed.
create table payment_service_circuits (
  merchant_account_id text not null references merchant_accounts (id),
  payment_service_id uuid not null,
  state text not null check (state in ('closed', 'open', 'half_open')),
  since timestamptz not null,
  -- from when a payment may probe it; null: closed
  next_probe_at timestamptz,
  -- how often it opened since it was last closed
  openings int not null,
  good_probes int not null,
  -- counts the changes: each is made to the row that was read, or not at all
  version int not null,
  primary key (merchant_account_id, payment_service_id),
  check ((state = 'closed') = (next_probe_at is null))
);

-- Calls by the ten seconds in which they began. A payment service has eight rows, which are used again in turn.
create table payment_service_calls (
  merchant_account_id text not null references merchant_accounts (id),
  payment_service_id uuid not null,
  slot smallint not null,
  starts_at timestamptz not null,
  calls int not null,
  failed int not null,
  slow int not null,
  total_ms bigint not null,
  -- how many calls fell into each class of latency
  latencies int[] not null,
  primary key (merchant_account_id, payment_service_id, slot)
) with (fillfactor = 50);

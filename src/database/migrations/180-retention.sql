-- Payments that were kept for as long as RETENTION_MONTHS says are retired: their partitions are dropped (docs/operations/partitions.md#retire-old-payments).

-- One row for each retirement, and at most one that is under way.
create table retirements (
  number int primary key,
  -- payments with lower ids are retired
  below uuid not null,
  actor text not null,
  started_at timestamptz not null,
  -- what keeps the payments still: a list of `reason`, `rows` and `example`; null: nothing
  kept_by json,
  -- null: it is under way
  retired_at timestamptz,
  -- what was retired: rows of each table; payments and amounts of each account and currency
  counts json,
  -- keyed, over all that is above and the rows of retired_links
  hash bytea,
  constraint retirements_complete check (num_nulls(retired_at, counts, hash) in (0, 3))
);
create unique index retirements_under_way on retirements ((retired_at is null)) where retired_at is null;

-- A link of the journal's chain that covered rows of retired payments: its hash over the rows that stay.
create table retired_links (
  merchant_account_id text not null,
  number int not null,
  retirement int not null,
  entries int not null,
  hash bytea not null,
  primary key (merchant_account_id, number, retirement)
);

-- The lowest id that a payment which was not retired may have.
create function retired_below() returns uuid language sql stable as $$
  select coalesce((select below from retirements where retired_at is not null order by number desc limit 1), '00000000-0000-0000-0000-000000000000'::uuid)
$$;

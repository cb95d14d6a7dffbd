-- The histories of the write-ahead log that the database has been through: a row for each timeline of a server (decision 019). A replica
-- that shows the newest row has replayed the log of the primary that wrote it. Written only where replicas are configured.
create table wal_histories (
  number bigint generated always as identity primary key,
  system_identifier bigint not null,
  timeline integer not null,
  mark uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now()
);

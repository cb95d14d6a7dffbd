-- A primary that is put back to a snapshot of its disk keeps its identifier and timeline; a start is its own history.
alter table wal_histories add column primary_started_at timestamptz;

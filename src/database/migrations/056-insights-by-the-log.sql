-- How far the columns of the metrics explorer are is a place in the event log, which is in the order of commits (src/insights/keep-columns.ts). A date says less: it comes from the
-- process that makes a change. All columns are made anew from the log's beginning.
alter table insight_progress
  add column position bigint not null default 0,
  add column sequence int not null default 0,
  add column event_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- a process of the version before still writes it
  alter column complete_until set default '1970-01-01T00:00:00Z';

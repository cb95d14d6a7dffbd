-- How far the event log was final at a time of the database server. A restore takes away the events that were committed after the backup, and with them the later marks: the
-- last mark from before a cursor was issued says from where a reader goes on whose cursor follows a lost event (src/events/event-log.ts).
create table event_log_marks (
  at timestamptz primary key,
  position bigint not null
);

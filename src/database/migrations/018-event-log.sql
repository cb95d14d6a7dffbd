-- The outbox becomes a log that can be read in the order of its commits, without gaps, while others write (src/events/feed.ts).

-- What positions are counted from. Where a database's rows are moved to another server, whose transaction numbers are lower, it is raised
-- (src/database/event-log.ts), so that positions never go back. In PL/pgSQL, since plans would keep what a function of SQL answered when they were made.
create function event_base() returns bigint language plpgsql stable as 'begin return 0; end';

-- The position of an event that is being written: the number of the transaction that writes it, or the highest that has been committed by now, if that is more.
-- So no event has a lower one than those committed before it, also where its transaction began earlier. A volatile function of PL/pgSQL sees the
-- commits up to now; one of SQL would see those up to the beginning of the statement.
create function event_position() returns bigint language plpgsql volatile as $$
begin
  return event_base() + greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
end
$$;

-- Positions below this one are final for every statement that begins afterwards: whoever is still writing in this database has a higher number. (The oldest
-- number of a snapshot would say so too, but that waits for the transactions of all databases of the server.) Sessions tell 32 bits of their numbers.
create function event_horizon() returns bigint language plpgsql volatile as $$
declare
  ended bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  oldest bigint;
begin
  select max(age) into oldest
    from (select (ended - backend_xid::text::bigint) & 4294967295 as age from pg_stat_get_activity(null)
           where backend_xid is not null and datid = (select oid from pg_database where datname = current_database())) writing
   where age < 2147483648;
  return event_base() + ended - coalesce(oldest, 0);
end
$$;

-- How many events there have been of a resource: the next one's sequence number. Transactions, captures and refunds count in their own rows.
create table event_sequences (
  merchant_account_id text not null,
  target_id uuid not null,
  last int not null,
  primary key (merchant_account_id, target_id)
);

alter table transactions add column event_count int not null default 0;
alter table operations add column event_count int not null default 0;

alter table events add column position bigint, add column sequence int;

update events e
   set position = event_base() + pg_current_xact_id()::text::bigint, sequence = numbered.sequence
  from (select merchant_account_id, id, row_number() over (partition by merchant_account_id, target_id order by id) as sequence from events) numbered
 where e.merchant_account_id = numbered.merchant_account_id and e.id = numbered.id;

update transactions t set event_count = told.events
  from (select merchant_account_id, target_id, count(*) as events from events where target_type = 'transaction' group by 1, 2) told
 where t.merchant_account_id = told.merchant_account_id and t.id = told.target_id;

update operations o set event_count = told.events
  from (select merchant_account_id, target_id, count(*) as events from events where target_type = 'operation' group by 1, 2) told
 where o.merchant_account_id = told.merchant_account_id and o.id = told.target_id;

insert into event_sequences (merchant_account_id, target_id, last)
select merchant_account_id, target_id, count(*) from events where target_type not in ('transaction', 'operation') group by 1, 2;

alter table events
  alter column position set default event_position(), alter column position set not null, alter column sequence set not null,
  -- the target says its type itself
  drop column target_type,
  drop constraint events_pkey,
  add primary key (merchant_account_id, position, sequence, id);

-- The timeline and the requests and answers of operations, packed (operations/journal/packed-json.ts): a payment has 2.6 kB of them as JSON. A version before
-- reads the JSON columns alone, so a process packs only while every running process can read packed ones (vault/keys/service-processes.ts).
alter table transaction_events
  -- the list that stood in `entries`, which is then empty
  add column packed bytea,
  alter column entries set default '[]';
alter table operations
  -- lists that follow those of `exchanges`, one after the other
  add column packed_exchanges bytea;
-- packed already: trying to compress them costs more than it saves
alter table transaction_events alter column packed set storage external;
alter table operations alter column packed_exchanges set storage external;

alter table service_processes
  -- whether the process reads packed JSON; a version before does not say
  add column reads_packed_json boolean not null default false;

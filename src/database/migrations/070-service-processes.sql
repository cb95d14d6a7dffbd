-- The processes that serve, and which keys each can use: a key is used when all of them know it (vault/processes.ts). A process that stops deletes its row; the row of one that died gets old.
create table service_processes (
  id uuid primary key,
  host text not null,
  pid int not null,
  -- names of encryption keys, the one that wraps first
  encryption_keys text[] not null,
  -- by the database's clock
  seen_at timestamptz not null
);

-- A value under each encryption key in use: a process that cannot open one is not ready (vault/key-check.ts).
create table encryption_keys (
  key_id text primary key,
  wrapped bytea not null
);

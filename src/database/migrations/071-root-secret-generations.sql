-- After an encryption key has leaked, the root secret is replaced too: what is sealed and signed from then on is so under the newest generation in use (docs/operations/leaked-key.md).
alter table root_secret
  add column generation int not null default 1 check (generation > 0),
  -- when processes began to seal and sign with it; the first one from the beginning
  add column used_at timestamptz,
  -- from when on what is signed under it is refused; it still opens what was sealed under it
  add column retired_at timestamptz,
  drop constraint root_secret_pkey;
alter table root_secret add primary key (generation);

-- The newest generation that the process knows, and the one that it seals with.
alter table service_processes
  add column root_secret_known int not null default 1,
  add column root_secret_used int not null default 1;

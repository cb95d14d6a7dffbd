-- What the database is for, as its first start said. Served as a sandbox, a production database would have its clocks moved and its payments decided by whoever has a key.
create table instance_environment (
  single boolean not null primary key default true check (single),
  environment text not null check (environment in ('sandbox', 'production'))
);

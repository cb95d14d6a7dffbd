-- What the master key makes of a known text: a process that was given another key is refused before it seals or opens anything with it.
create table encryption_check (
  only_one boolean primary key default true check (only_one),
  mac bytea not null
);

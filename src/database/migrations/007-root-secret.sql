-- What fingerprints, cursors and sealed fields are derived from, wrapped under a master key: that can be replaced, this never changes.
create table root_secret (
  only_one boolean primary key default true check (only_one),
  key_id text not null,
  wrapped bytea not null
);

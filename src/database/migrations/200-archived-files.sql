-- Payments that are retired may be in Parquet files, which reports read (docs/operations/archive.md). One row for each file; the retirement's hash covers its rows.
-- The files of a retirement that is under way are not complete, and nothing reads them.
create table archived_files (
  retirement int not null,
  kind text not null check (kind in ('transactions', 'operations', 'settlements')),
  -- in the folder of ARCHIVE_DIR
  name text not null unique check (name ~ '^[a-z0-9-]+\.parquet$'),
  rows bigint not null check (rows >= 0),
  bytes bigint not null check (bytes > 0),
  sha256 bytea not null,
  -- the lowest and the highest of all times in the file; null: it has none
  earliest timestamptz,
  latest timestamptz,
  primary key (retirement, kind)
);

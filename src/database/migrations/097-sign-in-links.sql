-- One-time links that sign in the administrator of a sandbox. A new link deletes the ones before.
create table sign_in_links (
  -- SHA-256 of what the link holds
  token_hash bytea primary key,
  expires_at timestamptz not null
);

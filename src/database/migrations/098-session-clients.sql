-- For the person's own list of their sessions. Null: the session was opened by an earlier version.
alter table user_sessions
  -- how the person proved who they are
  add column method text,
  add column ip_address text,
  -- its first 200 characters
  add column user_agent text;

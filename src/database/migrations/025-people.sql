-- People who sign in (SEMANTICS §1.3, §16.3). They belong to the instance: one person acts on several merchant accounts, or on all of them, and signs in before one is chosen. So no merchant
-- account leads these keys; which ones somebody may act on is a column, as with API key pairs.
create table users (
  id uuid primary key,
  -- lower-case, so that the index below knows two spellings for one address
  email_address text not null,
  name text not null,
  status text not null constraint users_status_known check (status in ('pending', 'active', 'deleted')),
  -- a PHC string (argon2id); null until an invitation is accepted
  password_hash text,
  -- sealed; null: no second factor
  totp_secret bytea,
  -- sealed: shown to the person, and not confirmed by a code yet
  totp_candidate bytea,
  -- the time step of the last code that was taken: a code is good once
  last_totp_step bigint,
  -- slugs
  role_ids text[] not null,
  -- empty: all of them
  merchant_account_ids text[] not null,
  failed_attempts int not null default 0,
  locked_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint users_active_with_password check (status <> 'active' or password_hash is not null)
);

create unique index users_by_email_address on users (email_address) where deleted_at is null;
create index users_by_creation on users (created_at, id);

create table user_sessions (
  id uuid primary key,
  -- SHA-256 of what the cookie holds
  token_hash bytea not null unique,
  user_id uuid not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);

create index user_sessions_by_user on user_sessions (user_id);

-- One link for each person: a new one makes the one before worthless.
create table user_invitations (
  user_id uuid primary key,
  -- SHA-256 of what the link holds
  token_hash bytea not null unique,
  expires_at timestamptz not null
);

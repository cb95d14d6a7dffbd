-- Passkeys of people (WebAuthn). Only public keys: the private key does not leave the person's authenticator.
create table user_passkeys (
  id uuid primary key,
  user_id uuid not null,
  name text not null,
  -- chosen by the authenticator; no two people share one
  credential_id bytea not null unique,
  -- COSE (RFC 9052)
  public_key bytea not null,
  -- the authenticator's signature counter; 0: it does not count
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);

create index user_passkeys_by_user on user_passkeys (user_id);

-- Challenges that an authenticator has yet to sign; each is deleted by its use.
create table passkey_challenges (
  -- SHA-256 of the challenge
  challenge_hash bytea primary key,
  -- the session that adds a passkey; null: a sign-in
  session_id uuid,
  expires_at timestamptz not null
);

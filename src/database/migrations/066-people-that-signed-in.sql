-- Hashes of the passwords that a person had before the present one, the newest first: as many as a new password is compared with (PCI DSS 8.3.7).
-- When the person signed in last; null: never, or before this was noted. Those who may sign in today are counted from now on.
alter table users
  add column former_password_hashes text[] not null default '{}',
  add column last_signed_in_at timestamptz;
update users set last_signed_in_at = now() where status = 'active';

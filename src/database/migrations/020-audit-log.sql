-- Who changed what (SEMANTICS §16.4): written in the commit of the change, never changed, and sealed afterwards by a chain of hashes (src/accounts/audit-seal.ts).
create table audit_entries (
  merchant_account_id text not null,
  -- in the order of the commits, as in the event log
  position bigint not null default event_position(),
  id uuid not null,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  resource_name text,
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null,
  actor_email_address text,
  created_at timestamptz not null,
  primary key (merchant_account_id, position, id)
);

-- What people look for is mostly not a payment, and what is a payment adds nothing to this index.
create index audit_entries_of_configuration on audit_entries (merchant_account_id, position, id)
 where resource_type <> 'transaction' and resource_type <> 'refund';

-- One link of an account's chain: the entries below a position that no link before has, and a keyed hash over them and the link before.
create table audit_seals (
  merchant_account_id text not null,
  number int not null,
  -- the seal is over the entries from the link before's position on, up to below this one
  position bigint not null,
  entries int not null,
  hash bytea not null,
  created_at timestamptz not null,
  primary key (merchant_account_id, number)
);

-- History is only added to. Whoever owns the server can get round this; `railyard verify` finds what they changed.
create function refuse_to_change_history() returns trigger language plpgsql as $$
begin
  raise exception '% is only added to', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_entries_are_kept before update or delete or truncate on audit_entries execute function refuse_to_change_history();
create trigger audit_seals_are_kept before update or delete or truncate on audit_seals execute function refuse_to_change_history();

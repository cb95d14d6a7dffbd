-- One row for each merchant account, which Citus keeps beside the account's payments: a statement that looks something up for every account begins here, so
-- that each shard answers for its own accounts (src/database/citus). `merchant_accounts` has a copy on every node, and no account in particular.
create table account_shards (merchant_account_id text primary key);

-- Processes of the version before insert merchant accounts alone.
create function add_account_shard() returns trigger language plpgsql as $$
begin
  insert into account_shards (merchant_account_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger account_shards_added after insert on merchant_accounts for each row execute function add_account_shard();

insert into account_shards (merchant_account_id) select id from merchant_accounts;

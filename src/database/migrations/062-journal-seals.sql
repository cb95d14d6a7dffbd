-- The journal of money gets what the audit log has (migration 020): what was decided is sealed a few seconds afterwards, by a chain of keyed hashes for each account
-- (src/operations/journal-chain.ts).

-- what was decided, in the order of the commits
create index operations_in_order on operations (merchant_account_id, journal_position) where journal_position is not null;

-- Settlements and issued gift cards are written once, and are money, too. Null: written by a version before this one, and in no link.
alter table settlements add column position bigint;
alter table settlements alter column position set default event_position();
create index settlements_in_order on settlements (merchant_account_id, position) where position is not null;

alter table gift_card_issuances add column position bigint;
alter table gift_card_issuances alter column position set default event_position();
create index gift_card_issuances_in_order on gift_card_issuances (merchant_account_id, position) where position is not null;

-- One link of an account's chain: what was decided and written below a position that no link before has, and a keyed hash over that and the link before.
create table journal_seals (
  merchant_account_id text not null,
  number int not null,
  -- the seal is over what there is from the link before's position on, up to below this one
  position bigint not null,
  entries int not null,
  hash bytea not null,
  created_at timestamptz not null,
  primary key (merchant_account_id, number)
);

create trigger journal_seals_are_kept before update or delete or truncate on journal_seals execute function refuse_to_change_history();

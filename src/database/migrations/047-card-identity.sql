-- Rows whose form has changed are rewritten in the background, table by table (vault/fingerprint-upkeep.ts). A row here is how far one table is.
create table vault_passes (
  name text not null,
  table_name text not null,
  -- the last row that was looked at, in the order of the table's primary key; null: none yet
  merchant_account_id text,
  id uuid,
  finished boolean not null default false,
  primary key (name, table_name)
);

-- Events told a fingerprint that was the same in every merchant account, and up to eight first digits.
update events
   set target = (target::jsonb || '{"fingerprint": null}'
                 || case when target#>>'{details,bin}' is null then '{}'
                         else jsonb_build_object('details', target::jsonb->'details' || jsonb_build_object('bin', left(target#>>'{details,bin}', 6))) end)::json
 where name like 'payment-method.%';

-- a request with a token of this key pair must name its merchant account, instead of meaning `default`
alter table api_key_pairs add column merchant_account_required boolean not null default false;

drop trigger announced on api_key_pairs;
create trigger announced after insert or delete or update of role_ids, merchant_account_ids, merchant_account_required, active, deleted_at on api_key_pairs
  for each statement execute function announce_change('api_key_pairs');

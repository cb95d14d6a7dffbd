-- Every process keeps copies of these rows (src/database/cache.ts). Who changes one tells of it in the same commit: a process that dies right after it leaves nobody with a copy of what was.
create function announce_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('railyard_changes', tg_argv[0]);
  return null;
end $$;

create trigger announced after insert or update or delete on merchant_accounts for each statement execute function announce_change('merchant_accounts');
create trigger announced after insert or update or delete on account_clocks for each statement execute function announce_change('merchant_accounts');
create trigger announced after insert or update or delete on payment_services for each statement execute function announce_change('payment_services');
create trigger announced after insert or update or delete on payment_service_circuits for each statement execute function announce_change('payment_service_health');
create trigger announced after insert or update or delete on gift_card_services for each statement execute function announce_change('gift_card_services');
create trigger announced after insert or update or delete on anti_fraud_services for each statement execute function announce_change('anti_fraud_services');
create trigger announced after insert or update or delete on webhook_subscriptions for each statement execute function announce_change('webhook_subscriptions');
create trigger announced after insert or update or delete on bins for each statement execute function announce_change('bins');
create trigger announced after insert or update or delete on three_d_secure_configurations for each statement execute function announce_change('three_d_secure');
create trigger announced after insert or update or delete on three_d_secure_scenarios for each statement execute function announce_change('three_d_secure');
create trigger announced after insert or update or delete on flow_rulesets for each statement execute function announce_change('flow_rules');
-- when a key was used, how often a password was guessed and when a session was seen are in no copy
create trigger announced after insert or delete or update of role_ids, merchant_account_ids, active, deleted_at on api_key_pairs
  for each statement execute function announce_change('api_key_pairs');
create trigger announced after insert or delete or update of email_address, name, status, password_hash, totp_secret, totp_candidate, role_ids, merchant_account_ids on users
  for each statement execute function announce_change('users');
create trigger announced after delete on user_sessions for each statement execute function announce_change('users');

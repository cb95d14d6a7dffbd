-- Every unique key of a table with an account has the account in it, or another column that is unique by itself: a table can be distributed by its accounts
-- only then (src/database/citus). Processes of the version before conflict on the key without the account.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey, add primary key (webhook_subscription_id, id, merchant_account_id);
create unique index webhook_deliveries_by_id on webhook_deliveries (webhook_subscription_id, id);

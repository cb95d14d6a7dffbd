-- what links of the account do that do not say their intent; null: authorize
alter table merchant_accounts add column payment_link_intent text check (payment_link_intent in ('authorize', 'capture'));

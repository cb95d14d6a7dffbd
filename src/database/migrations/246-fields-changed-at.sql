-- When a merchant last changed the fields of a service, its credentials among them; null: never, or before this migration. A look-up with later credentials than
-- those of the request may ask another account, where nothing is found.
alter table payment_services add column fields_changed_at timestamptz;
alter table gift_card_services add column fields_changed_at timestamptz;
alter table anti_fraud_services add column fields_changed_at timestamptz;

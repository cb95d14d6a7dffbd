-- `buyer_email_address` finds an address however it is written
create index transactions_by_email on transactions (merchant_account_id, lower(buyer#>>'{billing_details,email_address}')) where buyer#>>'{billing_details,email_address}' is not null;
drop index transactions_by_buyer_email;

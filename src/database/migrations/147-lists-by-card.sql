-- Lists by the card that paid, which walked back through the account to find a rare one: by its last four digits in the list's order, and by its fingerprint.
create index transactions_by_label on transactions (merchant_account_id, (payment_method->>'label'), updated_at, id)
  where payment_method->>'label' is not null and status <> 'processing';
-- its first digits tell it apart, and take a third of the room; no hash index, in which each payment with a frequent card would walk past all others with it
create index transactions_by_fingerprint on transactions (merchant_account_id, substr(payment_method->>'fingerprint', 3, 12))
  where payment_method->>'fingerprint' is not null and status <> 'processing';
create statistics transactions_label on (payment_method->>'label') from transactions;
create statistics transactions_fingerprint on (substr(payment_method->>'fingerprint', 3, 12)) from transactions;

-- The link of the journal that covers one payment's operations (src/verify/prove-payment.ts).
create index journal_seals_by_position on journal_seals (merchant_account_id, position, number);

-- What waits for a person is counted by indexes alone (src/attention/attention.store.ts). Each has few rows: nothing is in it once it is decided.
create index transactions_in_review on transactions (merchant_account_id) where pending_review;
create index operations_unknown on operations (merchant_account_id) where status = 'unknown';
create index disputes_to_answer on disputes (merchant_account_id, evidence_due_at) where status in ('inquiry', 'needs_response') and evidence_due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (merchant_account_id, webhook_subscription_id) where status = 'failed';

-- What `railyard verify` found last, of each account.
create table verifications (
  merchant_account_id text primary key,
  verified_at timestamptz not null,
  findings int not null,
  -- of the journal and the audit log
  broken_links int not null
);

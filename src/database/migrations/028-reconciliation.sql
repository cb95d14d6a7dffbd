-- What payment services' reports say of payments (src/reconciliation).

-- A report as the payment service names it; it may come in several files.
create table payment_service_reports (
  merchant_account_id text not null references merchant_accounts,
  payment_service_id uuid not null,
  name text not null,
  id uuid not null,
  created_at timestamptz not null,
  primary key (merchant_account_id, payment_service_id, name)
);

-- A file that is read, known by its content. How far it was read is kept in the commit of what was read.
create table payment_service_report_files (
  merchant_account_id text not null references merchant_accounts,
  payment_service_id uuid not null,
  sha256 bytea not null,
  id uuid not null,
  report_id uuid not null,
  name text not null,
  size bigint not null,
  -- where the next line begins, and how many were read before it, the header among them
  read_bytes bigint not null,
  read_lines bigint not null,
  -- how many lines came to what
  counts jsonb not null,
  created_at timestamptz not null,
  -- null while there are lines that were not read
  finished_at timestamptz,
  primary key (merchant_account_id, payment_service_id, sha256)
);

-- Settlements, refund settlements, chargebacks and their reversals: one for each line that was matched.
create table settlements (
  merchant_account_id text not null,
  payment_service_id uuid not null,
  -- of the payment service's id of the line, or of its content: the same line is never booked twice
  line_key uuid not null,
  id uuid not null,
  type text not null check (type in ('settlement', 'refund-settlement', 'chargeback', 'chargeback-reversal')),
  transaction_id uuid not null,
  refund_id uuid,
  posted_at timestamptz not null,
  ingested_at timestamptz not null,
  -- in the currency of the payment
  gross_amount bigint not null,
  -- this and all that follow in the currency of the settlement
  currency text not null,
  amount bigint not null,
  exchange_rate double precision,
  commission bigint not null,
  interchange bigint,
  markup bigint,
  scheme_fee bigint,
  report_id uuid not null,
  file_id uuid not null,
  line bigint not null,
  primary key (merchant_account_id, payment_service_id, line_key),
  check ((type = 'refund-settlement') = (refund_id is not null))
);

create index settlements_by_transaction on settlements (merchant_account_id, transaction_id);

-- Lines that fit nothing we know, or something else than they say. Tried again when later files come.
create table unmatched_report_lines (
  merchant_account_id text not null references merchant_accounts,
  payment_service_id uuid not null,
  line_key uuid not null,
  id uuid not null,
  report_id uuid not null,
  file_id uuid not null,
  line bigint not null,
  reason text not null,
  -- what was read; null where that could not be done
  content json,
  -- as it stands in the file, for people: shortened, without card numbers
  text text not null,
  created_at timestamptz not null,
  tried_at timestamptz not null,
  primary key (merchant_account_id, payment_service_id, line_key)
);

create index unmatched_report_lines_by_creation on unmatched_report_lines (merchant_account_id, created_at, id);

-- When a payment service is asked for new reports; the row is its own job.
create table payment_service_report_checks (
  merchant_account_id text not null references merchant_accounts,
  payment_service_id uuid not null,
  check_at timestamptz not null,
  primary key (merchant_account_id, payment_service_id)
);

-- What of a refund was settled; null: nothing. A transaction has columns for it already.
alter table operations add column settled_amount bigint, add column settled_currency text;

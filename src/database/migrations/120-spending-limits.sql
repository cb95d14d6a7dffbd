-- What a key pair or a person may refund, pay out, capture and void in a merchant account (src/spending-limits). Null: not limited.
create table spending_limits (
  merchant_account_id text not null,
  id uuid not null,
  subject_type text not null,
  subject_id uuid not null,
  operation text not null,
  currency text not null,
  per_operation bigint,
  per_day bigint,
  per_buyer_per_day bigint,
  count_per_day bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint spending_limits_of_something check (num_nonnulls(per_operation, per_day, per_buyer_per_day, count_per_day) > 0)
);

create unique index spending_limits_subject on spending_limits (merchant_account_id, subject_id, operation, currency);
create trigger announced after insert or update or delete on spending_limits for each statement execute function announce_change('spending_limits');

-- What was used of a limit in a day of the account's clock, in UTC: one row for the whole day, whose buyer is '', and one for each buyer.
create table spending_usage (
  merchant_account_id text not null,
  spending_limit_id uuid not null,
  day date not null,
  buyer text not null,
  used bigint not null,
  count bigint not null,
  primary key (merchant_account_id, spending_limit_id, day, buyer),
  constraint spending_usage_not_negative check (used >= 0 and count >= 0)
);

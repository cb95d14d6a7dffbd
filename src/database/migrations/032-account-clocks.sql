-- How far the sandbox's merchant accounts have moved their clocks ahead of the machine's. An account without a row lives in the machine's time.
create table account_clocks (
  merchant_account_id text not null primary key,
  ahead_ms bigint not null constraint account_clocks_never_go_back check (ahead_ms >= 0)
);

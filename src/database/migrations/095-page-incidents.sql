-- What browsers have reported about Railyard's own pages, and what the daily check has found: one open incident for each page, kind and subject.
create table page_incidents (
  merchant_account_id text not null,
  id uuid not null,
  page text not null,
  kind text not null,
  -- an origin, a word of the policy's, or the name of a header
  subject text not null,
  reports bigint not null constraint page_incidents_reported check (reports > 0),
  last_reported_at timestamptz not null,
  notes text,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);

create unique index page_incidents_one_open on page_incidents (merchant_account_id, page, kind, subject) where closed_at is null;
create index page_incidents_by_creation on page_incidents (merchant_account_id, created_at, id);

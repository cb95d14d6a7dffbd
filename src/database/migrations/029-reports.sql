-- Reports (SEMANTICS §16.6): what is asked for, the times at which it was made, and the files.
create table reports (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  name text not null,
  description text,
  schedule text not null check (schedule in ('once', 'daily', 'weekly', 'monthly')),
  schedule_enabled boolean not null,
  -- IANA
  schedule_timezone text not null,
  -- { model, params } as it was sent
  spec json not null,
  creator_id uuid,
  creator_display_name text,
  creator_type text check (creator_type in ('user', 'private_key')),
  -- the end of the next period that is to be reported on, also while the schedule rests; null: `once`
  next_execution_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint once_has_no_schedule check (schedule <> 'once' or (not schedule_enabled and next_execution_at is null))
);
create index reports_by_creation on reports (merchant_account_id, created_at, id);
create index reports_due on reports (next_execution_at) where schedule_enabled;

create table report_executions (
  merchant_account_id text not null,
  id uuid not null,
  report_id uuid not null,
  status text not null check (status in ('pending', 'dispatched', 'processing', 'succeeded', 'failed')),
  -- what placeholders of date windows are counted from
  reference_timestamp timestamptz not null,
  reference_timezone text not null,
  -- how often it was taken up
  attempts int not null default 0,
  -- when it may be taken up: at once, after a refusal, or when who has it has been silent for too long; null: it is final
  due_at timestamptz,
  -- of the process that has it: whoever does not hold it any more writes nothing more
  lease uuid,
  -- of the file: how many chunks it has, and how long it is before compression
  file_chunks int,
  file_bytes bigint,
  erased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);
-- one for each time of a schedule, whoever is first
create unique index report_executions_once on report_executions (merchant_account_id, report_id, reference_timestamp);
create index report_executions_by_report on report_executions (merchant_account_id, report_id, created_at, id);
create index report_executions_by_creation on report_executions (merchant_account_id, created_at, id);
create index report_executions_due on report_executions (due_at) where due_at is not null;
create index report_executions_kept on report_executions (updated_at) where status = 'succeeded' and erased_at is null;

-- The files: in the database, since every process serves them. Compressed, then sealed: there are buyers in them.
create table report_chunks (
  merchant_account_id text not null,
  report_execution_id uuid not null,
  number int not null,
  content bytea not null,
  primary key (merchant_account_id, report_execution_id, number)
);
-- what is compressed and sealed does not get any smaller
alter table report_chunks alter column content set storage external;

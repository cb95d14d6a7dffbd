-- Metrics that are watched (SEMANTICS §16.8). The row is the job: whoever takes the sample of `next_sample_at` leases it first.
create table monitoring_metrics (
  merchant_account_id text not null,
  id uuid not null,
  display_name text not null,
  spec jsonb not null,
  alerting_policy jsonb,
  alerting_policy_updated_at timestamptz,
  incident_policy jsonb,
  incident_policy_updated_at timestamptz,
  creator_type text not null constraint monitoring_metrics_creator_known check (creator_type in ('private_key', 'user')),
  creator_id uuid not null,
  creator_display_name text not null,
  -- a whole minute
  next_sample_at timestamptz not null,
  -- null: nobody has it
  leased_until timestamptz,
  -- samples in a row that speak for opening an incident or, while one is open, for closing it
  streak int not null default 0,
  -- its samples are erased with the old ones, and it with the last of them
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint monitoring_metrics_incidents_need_alerts check (incident_policy is null or alerting_policy is not null)
);

create index monitoring_metrics_by_creation on monitoring_metrics (merchant_account_id, created_at, id) where deleted_at is null;
create index monitoring_metrics_due on monitoring_metrics (next_sample_at) where deleted_at is null;

create table monitoring_incidents (
  merchant_account_id text not null,
  id uuid not null,
  -- null: the metric was deleted
  metric_id uuid,
  -- of the metric, when it was opened
  display_name text not null,
  spec jsonb not null,
  alerting_policy jsonb not null,
  incident_policy jsonb not null,
  notes text,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint monitoring_incidents_closed_without_metric check (metric_id is not null or closed_at is not null)
);

create unique index monitoring_incidents_one_open on monitoring_incidents (merchant_account_id, metric_id) where closed_at is null;
create index monitoring_incidents_by_creation on monitoring_incidents (merchant_account_id, created_at, id);
create index monitoring_incidents_by_metric on monitoring_incidents (merchant_account_id, metric_id, created_at, id);

-- What was seen at a whole minute of the time before it.
create table monitoring_samples (
  merchant_account_id text not null,
  metric_id uuid not null,
  taken_at timestamptz not null,
  processed int not null check (processed >= 0),
  authorized int not null constraint monitoring_samples_authorized_were_processed check (authorized between 0 and processed),
  -- null: there is no alerting policy, or nothing was processed
  healthy boolean,
  -- the incident that was open then, or that the sample opened or closed
  incident_id uuid,
  primary key (merchant_account_id, metric_id, taken_at)
);

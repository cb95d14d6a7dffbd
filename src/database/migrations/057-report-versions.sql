-- A payment service may issue a report again under its name, with another content. What it said of the content when that was fetched, null: nothing; and when that was.
alter table payment_service_reports
  add column version text,
  add column fetched_at timestamptz;

-- When the last round began that read every report that the payment service offered. Null: no round was complete, so reports of 400 days are asked for. The first
-- round after the upgrade therefore finds older reports that an incomplete first round had left.
alter table payment_service_report_checks add column complete_at timestamptz;

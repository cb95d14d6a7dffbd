-- What a correction of a payment changed: {"before": …, "after": …} with amounts and the status, never personal data. Null for every other entry.
alter table audit_entries add column changes jsonb;

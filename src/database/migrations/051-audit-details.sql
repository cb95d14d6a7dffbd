-- What an entry of the audit log says beyond who changed what: of a correction the values before and after, of a sign-in where it came from. Null: nothing.
alter table audit_entries add column details jsonb;

-- Who has made or changed a key pair or a person (src/accounts/makers.ts).
create index audit_entries_of_callers on audit_entries (resource_id) where resource_type in ('api-key-pair', 'user', 'role-assignment');

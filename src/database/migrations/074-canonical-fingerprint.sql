-- Keyed hash of the body's canonical form, in which the order of members does not matter. Null: the key was stored by a version that compares `fingerprint`, as this one does with it then.
alter table idempotency_keys add column canonical_fingerprint bytea;

-- Key pairs that the API makes. Of those that are not deleted each has a public key of its own; one that was deleted may come back as a new pair.
alter table api_key_pairs drop constraint api_key_pairs_thumbprint_key;
create unique index api_key_pairs_thumbprint on api_key_pairs (thumbprint) where deleted_at is null;

-- who made it, as they were called then; null: made at the command line, or with the instance
alter table api_key_pairs add column creator jsonb;

-- The 3DS method that the buyer's browser has begun for the card of a session: the 3DS server's transaction id, the issuer's URL, and whether its end is told.
-- The id is what the issuer's page knows.
alter table checkout_sessions add column three_ds_method jsonb;
create unique index checkout_sessions_by_three_ds_method on checkout_sessions ((three_ds_method ->> 'id')) where three_ds_method is not null;

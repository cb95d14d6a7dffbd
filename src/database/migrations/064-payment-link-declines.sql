-- A payment link takes ten declined payments: what is tried on it after that is not a buyer's mistake.
alter table payment_links add column declines int not null default 0;

-- The deliveries that tell of one resource. Those that wait are in `webhook_deliveries_waiting`, so a delivery is written here once, when it is decided.
create index webhook_deliveries_of_resource on webhook_deliveries (target_id) where status <> 'waiting';

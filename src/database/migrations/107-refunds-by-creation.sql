-- Counts the refunds of a period (src/insights/summary.store.ts). Only refunds are in it, so that payments do not pay for it.
create index refunds_by_creation on operations (merchant_account_id, created_at) where kind in ('refund', 'gift-card-refund');

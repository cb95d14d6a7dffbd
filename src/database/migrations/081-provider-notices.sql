-- Verified notifications of payment services that cannot be asked for the state of a payment: their books, as far as Railyard has them. `id` is the payment service's, and repeats
-- when it sends the notification again; `subject` is an operation, or a payment by the payment service's id.
create table provider_notices (
  merchant_account_id text not null,
  payment_service_id uuid not null,
  id text not null,
  subject text not null,
  body jsonb not null,
  received_at timestamptz not null,
  primary key (merchant_account_id, payment_service_id, id)
);

create index provider_notices_subject on provider_notices (merchant_account_id, payment_service_id, subject);
create index provider_notices_age on provider_notices using brin (received_at);

-- What another payment has renewed takes no capture any more. A version before this one left it open, so that it could be renewed, and charged, again.
update transactions earlier set capture_closed = true
  from transactions renewal
 where renewal.reauthorized_from_transaction_id is not null and renewal.status <> 'authorization_failed'
   and earlier.merchant_account_id = renewal.merchant_account_id and earlier.id = renewal.reauthorized_from_transaction_id
   and not earlier.capture_closed;

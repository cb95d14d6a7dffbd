/**
 * What an event keeps of a transaction (semantics §15.2): what may be another value later. The rest is read
 * from its row when the event is (transactions/views/event-targets.ts). What is null, false or nothing takes
 * no room, nor does the time of the change if it is `eventTime`, when the event was created. A payment that waits for its
 * buyer may go to another payment service afterwards.
 */
export const transactionTarget = (t: string, eventTime: string) => `json_strip_nulls(json_build_object(
  'type', 'transaction', 'status', ${t}.status, 'external_identifier', ${t}.external_identifier, 'amount', ${t}.amount,
  'authorized_amount', ${t}.authorized_amount, 'captured_amount', nullif(${t}.captured_amount, 0), 'refunded_amount', nullif(${t}.refunded_amount, 0),
  'payment_service_transaction_id', ${t}.payment_service_transaction_id, 'pending_review', nullif(${t}.pending_review, false),
  'intent_outcome', ${t}.intent_outcome, 'error_code', ${t}.error_code, 'metadata', ${t}.metadata,
  'identifiers', ${t}.identifiers, 'anti_fraud_decision', ${t}.anti_fraud->>'decision',
  'redemptions', case when ${t}.gift_cards is not null then
    (select json_agg(json_build_object('id', r->'id', 'status', r->'status', 'refunded', r->'refunded', 'reference', r->'reference', 'error_code', r->'error_code',
            'raw_error_code', r->'raw_error_code', 'raw_error_message', r->'raw_error_message')) from jsonb_array_elements(${t}.gift_cards->'redemptions') r) end,
  'settled', nullif(${t}.settled, false), 'settled_amount', nullif(${t}.settled_amount, 0), 'settled_currency', ${t}.settled_currency,
  'disputed', nullif(${t}.disputed, false), 'disputed_amount', nullif(${t}.disputed_amount, 0),
  'payment_service_id', case when ${t}.status = 'buyer_approval_pending' then ${t}.payment_service_id end,
  'payment_service', case when ${t}.status = 'buyer_approval_pending' then ${t}.payment_service end,
  'captured_at', ${t}.captured_at, 'updated_at', nullif(${t}.updated_at, ${eventTime})))`

/**
 * What it keeps of a capture or a refund: a sale is a capture to the merchant, and what is not decided is
 * pending, or processing.
 */
export const operationTarget = (o: string, eventTime: string) => `json_strip_nulls(json_build_object(
  'type', case when ${o}.kind in ('sale', 'capture') then 'capture' else 'refund' end, 'transaction_id', ${o}.transaction_id,
  'amount', coalesce(${o}.effective_amount, ${o}.amount),
  'status', case when ${o}.late_failure is not null then 'failed'
                 when ${o}.status = 'approved' then 'succeeded' when ${o}.status in ('declined', 'failed') then ${o}.status
                 when ${o}.kind in ('sale', 'capture') then 'pending' else 'processing' end,
  'error_code', coalesce(${o}.late_failure->>'code', ${o}.error_code), 'updated_at', nullif(${o}.updated_at, ${eventTime})))`

/**
 * How many of the events in this parameter are about the transaction, or about the operation: each counts its
 * own, for their sequence numbers.
 */
export const countEvents = (target: 'transaction' | 'operation', events: string) =>
  `(select count(*)::int from jsonb_to_recordset(${events}) event (target text) where event.target = '${target}')`

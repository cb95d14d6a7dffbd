const names = (list: string): readonly string[] => list.trim().split(/\s+/)

/** Every column of the tables that rows of functions go into whole. A migration that adds one adds it here. */
export const insertedColumns = {
  transactions: names(`
    merchant_account_id id status intent intent_outcome currency country amount authorized_amount captured_amount
    refunded_amount capture_reserved refund_reserved over_capture_allowance capture_closed active_operation_id method
    instrument_type payment_method payment_service_id payment_service payment_service_transaction_id buyer
    shipping_details external_identifier metadata error_code facts details three_d_secure payment_source
    merchant_initiated is_subsequent_payment ip_address pending_review disputed settled settled_currency settled_amount
    checkout_session_id payment_link_id reauthorized_from_transaction_id approval_expires_at buyer_approval_timedout_at
    authorized_at captured_at voided_at canceled_at created_at updated_at approval identifiers gift_cards actions
    eligible anti_fraud event_count disputed_amount erased_at`),
  operations: names(`
    merchant_account_id id transaction_id kind status amount effective_amount currency payment_service_id
    payment_service_operation_id input error_code facts exchanges idempotency_scope idempotency_key check_at checks
    created_at updated_at settled_at event_count settled_amount settled_currency journal_position
    payment_service_transaction_id late_notice_at compensated_by late_failure mark packed_exchanges`),
  payouts: names(`
    merchant_account_id id status amount currency payment_service_id payment_service payment_method buyer category
    merchant connection_options external_identifier payment_service_payout_id event_count created_at updated_at`),
  payment_methods: names(`
    merchant_account_id id provisional status method mode buyer_id external_identifier label scheme additional_schemes
    bin card_type card_issuer_name card_country expiration_date fingerprint country currency approval_url key_id
    data_key sealed has_replacement last_replaced_at usage_count cit_usage_count last_used_at cit_last_used_at
    scheme_transaction_id scheme_transaction_id_scheme transaction_link_id created_at updated_at`),
} as const

/**
 * The statement of PL/pgSQL that inserts the row in `variable`, which is declared as a row of the table. It names the
 * columns: with `values (row.*)` a Citus worker writes the whole row as text once for each of them.
 */
export function insertRow(table: keyof typeof insertedColumns, variable: string): string {
  const columns = insertedColumns[table]
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `${variable}.${name}`).join(', ')});`
}

import { redeemedSql } from '../../gift-cards/redemptions/redeemed.sql.ts'

/**
 * The columns of the model `transactions`, as SQL over a row `t` of `transactions`; times are in the API's
 * form. docs/guides/reports.md explains them, and a test compares each with the API's answer about the same
 * payment.
 */
export const transactionFields = {
  id: 't.id',
  external_identifier: 't.external_identifier',
  status: 't.status',
  created_at: 't.created_at',
  updated_at: 't.updated_at',
  authorized_at: 't.authorized_at',
  captured_at: 't.captured_at',
  voided_at: 't.voided_at',
  amount: 't.amount',
  currency: 't.currency',
  captured_amount: 't.captured_amount',
  refunded_amount: 't.refunded_amount',
  method: 't.method',
  scheme: `t.payment_method->>'scheme'`,
  payment_service_transaction_id: 't.payment_service_transaction_id',
  payment_service_id: 't.payment_service_id',
  payment_service_definition_id: `t.payment_service->>'payment_service_definition_id'`,
  payment_service_display_name: `t.payment_service->>'display_name'`,
  auth_response_code: `t.facts->>'auth_response_code'`,
  raw_response_code: `t.facts->>'raw_response_code'`,
  raw_response_description: `t.facts->>'raw_response_description'`,
  error_code: 't.error_code',
  metadata: 't.metadata',
  payment_source: 't.payment_source',
  is_subsequent_payment: 't.is_subsequent_payment',
  merchant_initiated: 't.merchant_initiated',
  three_d_secure_status: `t.three_d_secure->>'status'`,
  three_d_secure_eci: `t.three_d_secure#>>'{response_data,eci}'`,
  three_d_secure_auth_resp: `t.three_d_secure#>>'{response_data,authentication_response}'`,
  three_d_secure_method: `t.three_d_secure->>'method'`,
  buyer_external_identifier: `t.buyer->>'external_identifier'`,
  billing_details_first_name: `t.buyer#>>'{billing_details,first_name}'`,
  billing_details_last_name: `t.buyer#>>'{billing_details,last_name}'`,
  billing_details_email_address: `t.buyer#>>'{billing_details,email_address}'`,
  billing_details_phone_number: `t.buyer#>>'{billing_details,phone_number}'`,
  billing_details_address_city: `t.buyer#>>'{billing_details,address,city}'`,
  billing_details_address_country: `t.buyer#>>'{billing_details,address,country}'`,
  billing_details_address_postal_code: `t.buyer#>>'{billing_details,address,postal_code}'`,
  billing_details_address_state: `t.buyer#>>'{billing_details,address,state}'`,
  billing_details_address_state_code: `t.buyer#>>'{billing_details,address,state_code}'`,
  billing_details_address_house_number_or_name: `t.buyer#>>'{billing_details,address,house_number_or_name}'`,
  billing_details_address_line1: `t.buyer#>>'{billing_details,address,line1}'`,
  billing_details_address_line2: `t.buyer#>>'{billing_details,address,line2}'`,
  billing_details_address_organization: `t.buyer#>>'{billing_details,address,organization}'`,
  billing_details_tax_id: `t.buyer#>>'{billing_details,tax_id,value}'`,
  billing_details_tax_id_kind: `t.buyer#>>'{billing_details,tax_id,kind}'`,
  authorized_amount: 't.authorized_amount',
  intent_outcome: 't.intent_outcome',
  gift_card_redemptions_amount: redeemedSql('amount'),
  gift_card_redemption_refunds_amount: redeemedSql('refunded'),
  settled: 't.settled',
  settled_currency: 't.settled_currency',
  settled_amount: 't.settled_amount',
} as const satisfies Record<string, string>

export type TransactionField = keyof typeof transactionFields

export const transactionFieldNames = Object.keys(transactionFields).filter(isTransactionField)

/** Metadata is a map, which cannot be sorted. */
export const sortableFieldNames = transactionFieldNames.filter((name) => name !== 'metadata')

export function isTransactionField(name: string): name is TransactionField {
  return Object.hasOwn(transactionFields, name)
}

/**
 * The buyer's billing details: only people who may see them in the API get them in a report
 * (api/visibility/personal-data.ts).
 */
export const isPersonal = (name: string): boolean => name.startsWith('billing_details_')

/**
 * Further columns with personal data, which an erasure removes. Every caller that may read the transaction
 * sees them.
 */
export const isErasable = (name: string): boolean =>
  name === 'buyer_external_identifier' || name === 'metadata'

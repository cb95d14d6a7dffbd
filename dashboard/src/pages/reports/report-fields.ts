import type { reportWords } from '../../words/finance/reports.ts'

type Group = keyof (typeof reportWords)['fieldGroups']

/** The columns of a report of payments, as the file names them (docs/guides/reports.md). */
export const reportFields: Readonly<Record<Group, readonly string[]>> = {
  payment: [
    'created_at',
    'id',
    'external_identifier',
    'status',
    'intent_outcome',
    'updated_at',
    'authorized_at',
    'captured_at',
    'voided_at',
    'metadata',
  ],
  money: [
    'currency',
    'amount',
    'authorized_amount',
    'captured_amount',
    'refunded_amount',
    'gift_card_redemptions_amount',
    'gift_card_redemption_refunds_amount',
    'settled',
    'settled_currency',
    'settled_amount',
  ],
  method: ['method', 'scheme', 'payment_source', 'merchant_initiated', 'is_subsequent_payment'],
  service: [
    'payment_service_id',
    'payment_service_definition_id',
    'payment_service_display_name',
    'payment_service_transaction_id',
  ],
  reason: ['error_code', 'auth_response_code', 'raw_response_code', 'raw_response_description'],
  threeDS: [
    'three_d_secure_status',
    'three_d_secure_method',
    'three_d_secure_eci',
    'three_d_secure_auth_resp',
  ],
  buyer: [
    'buyer_external_identifier',
    'billing_details_first_name',
    'billing_details_last_name',
    'billing_details_email_address',
    'billing_details_phone_number',
    'billing_details_address_line1',
    'billing_details_address_line2',
    'billing_details_address_house_number_or_name',
    'billing_details_address_postal_code',
    'billing_details_address_city',
    'billing_details_address_state',
    'billing_details_address_state_code',
    'billing_details_address_country',
    'billing_details_address_organization',
    'billing_details_tax_id',
    'billing_details_tax_id_kind',
  ],
}

/** For people who may see who the buyers are. */
export const isPersonal = (field: string): boolean => field.startsWith('billing_details_')

/** What most people want in a first report. */
export const usualFields: readonly string[] = [
  'created_at',
  'id',
  'external_identifier',
  'status',
  'currency',
  'amount',
  'captured_amount',
  'refunded_amount',
  'method',
  'scheme',
  'payment_service_display_name',
  'error_code',
]

/** Objects as the contract wants them whole; the fake fills in what happens to them. */

export interface FakeIntent {
  id: string
  /** The connected account that it was opened on; null: the merchant's own. */
  account: string | null
  object: 'payment_intent' | 'setup_intent'
  status: string
  amount: number
  amount_capturable: number
  amount_received: number
  capture_method: string
  created: number
  currency: string
  customer: string | null
  payment_method: string | null
  metadata: Record<string, string>
  next_action: Record<string, unknown> | null
  problem: Record<string, unknown> | null
  charge: FakeCharge | null
  cancellation_reason: string | null
  setup_future_usage: string | null
  return_url: string | null
}

export interface FakeCharge {
  id: string
  amount: number
  amount_captured: number
  amount_refunded: number
  created: number
  currency: string
  status: 'succeeded' | 'failed' | 'pending'
  decline: Record<string, string> | null
  checks: { line: string | null; postal: string | null; cvc: string | null }
  type: string
}

export function intentBody(intent: FakeIntent, expanded: boolean): Record<string, unknown> {
  const common = {
    id: intent.id,
    object: intent.object,
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: intent.cancellation_reason,
    client_secret: `${intent.id}_secret_1`,
    created: intent.created,
    customer: intent.customer,
    description: null,
    livemode: false,
    metadata: intent.metadata,
    next_action: intent.next_action,
    payment_method: intent.payment_method,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    status: intent.status,
  }
  if (intent.object === 'setup_intent')
    return {
      ...common,
      last_setup_error: intent.problem,
      latest_attempt: null,
      mandate: null,
      single_use_mandate: null,
      usage: 'off_session',
    }
  const { charge } = intent
  return {
    ...common,
    amount: intent.amount,
    amount_capturable: intent.amount_capturable,
    amount_received: intent.amount_received,
    canceled_at: intent.status === 'canceled' ? intent.created : null,
    capture_method: intent.capture_method,
    confirmation_method: 'automatic',
    currency: intent.currency,
    last_payment_error: intent.problem,
    latest_charge: charge && (expanded ? chargeBody(charge, intent) : charge.id),
    payment_record: null,
    receipt_email: null,
    review: null,
    setup_future_usage: intent.setup_future_usage,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
  }
}

/** The method that an intent is confirmed with, in full. */
export const methodBody = ({ payment_method: id, created, customer }: FakeIntent) =>
  id && {
    id,
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      ...shownCard,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      display_brand: 'visa',
      generated_from: null,
      networks: null,
      regulated_status: null,
      three_d_secure_usage: null,
      wallet: null,
    },
    created,
    customer,
    livemode: false,
    metadata: {},
    type: 'card',
  }

const shownCard = {
  brand: 'visa',
  country: 'US',
  exp_month: 12,
  exp_year: 2030,
  funding: 'credit',
  last4: '4242',
}

function chargeBody(charge: FakeCharge, intent: FakeIntent): Record<string, unknown> {
  const isPaid = charge.status === 'succeeded'
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: charge.amount_captured,
    amount_refunded: charge.amount_refunded,
    application: null,
    application_fee: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: charge.amount_captured > 0,
    created: charge.created,
    currency: charge.currency,
    customer: intent.customer,
    description: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: charge.decline?.['code'] ?? null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: {},
    outcome: {
      advice_code: charge.decline?.['advice_code'] ?? null,
      network_advice_code: charge.decline?.['network_advice_code'] ?? null,
      network_decline_code: charge.decline?.['network_decline_code'] ?? null,
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: charge.decline?.['decline_code'] ?? null,
      risk_level: 'normal',
      seller_message: null,
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: intent.payment_method,
    payment_method_details:
      charge.type === 'card' ? { type: 'card', card: cardBody(charge) } : { type: charge.type },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: charge.amount_refunded === charge.amount,
    review: null,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: charge.status,
  }
}

const cardBody = ({ checks, amount }: FakeCharge) => ({
  amount_authorized: amount,
  authorization_code: '123456',
  ...shownCard,
  checks: {
    address_line1_check: checks.line,
    address_postal_code_check: checks.postal,
    cvc_check: checks.cvc,
  },
  electronic_commerce_indicator: null,
  installments: null,
  mandate: null,
  network: 'visa',
  network_transaction_id: '104102978678771',
  regulated_status: null,
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
})

export interface FakeRefund {
  id: string
  intent: string
  amount: number
  currency: string
  created: number
  metadata: Record<string, string>
  status: string
  failure_reason?: string
}

export const refundBody = ({ intent, ...refund }: FakeRefund): Record<string, unknown> => ({
  ...refund,
  object: 'refund',
  balance_transaction: null,
  charge: null,
  customer: null,
  payment_intent: intent,
  payment_method: null,
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
})

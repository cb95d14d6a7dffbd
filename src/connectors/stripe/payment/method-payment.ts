import type { Call, PaymentContext } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../../contract/outcome.ts'
import { toStripeAmount } from '../amount.ts'
import type { Intent } from '../answer.schema.ts'
import { operationMetadata } from '../metadata.ts'
import type { MethodTerms } from '../methods.ts'
import { type Body, readConnectOptions, type Wire } from '../wire.ts'
import { billingDetails, descriptorOf, shippingOf } from './buyer.ts'
import { fetchIntent, referencesOf } from './intent.ts'
import { notSent } from './outcome.ts'
import { confirm, openIntent } from './payment.ts'

/**
 * Sends the buyer to where they pay: Stripe's page, or Stripe's script in the merchant's page. The intent is
 * opened and its id committed first; only the buyer moves money.
 */
export async function payByMethod(wire: Wire, call: Call, method: MethodTerms): Promise<Outcome> {
  const { operation, payment } = call
  if (!payment) return refusedOutcome('invalid_operation')
  const amount = toStripeAmount(operation.amount, operation.currency)
  if (amount === undefined)
    return notSent('invalid_amount', `Stripe cannot express ${operation.amount} of ${operation.currency}`)
  const opened =
    operation.committedReference ??
    (await openIntent(wire, call, '/v1/payment_intents', await methodIntent(call, payment, method, amount)))
  if (typeof opened !== 'string') return opened
  if (method.page === 'redirect')
    return confirm(wire, call, opened, await methodConfirmation(payment, method))
  const intent = await fetchIntent(wire, call, opened)
  return intent === undefined || intent === 'missing'
    ? unknownOutcome('the intent cannot be read')
    : awaitingScript(call, intent)
}

/** What Stripe's script needs to ask the buyer in the merchant's page. */
export function awaitingScript(call: Call, intent: Intent): Outcome {
  return {
    status: 'pending',
    facts: {},
    references: referencesOf(call, intent),
    approval: {
      url: null,
      sessionData: {
        clientSecret: intent.client_secret ?? null,
        publishableKey: call.service.fields['publishable_key'] ?? null,
      },
    },
  }
}

async function methodIntent(
  { operation }: Call,
  payment: PaymentContext,
  { type, isDelayed }: MethodTerms,
  amount: number,
): Promise<Body> {
  const purchase = await payment.purchase()
  const { transaction, reference, description } = purchase
  return {
    amount,
    currency: operation.currency.toLowerCase(),
    allowed_payment_method_types: [type],
    capture_method: isDelayed && operation.kind === 'authorize' ? 'manual' : 'automatic',
    description,
    metadata: { ...operationMetadata(operation), transaction, reference },
    shipping: shippingOf(purchase),
    statement_descriptor: descriptorOf(purchase),
    ...readConnectOptions(payment.options).body,
  }
}

async function methodConfirmation(payment: PaymentContext, { type }: MethodTerms): Promise<Body> {
  const purchase = await payment.purchase()
  return {
    payment_method_data: { type, billing_details: billingDetails(purchase) },
    return_url: purchase.returnUrls.approved,
    expand: ['latest_charge'],
  }
}

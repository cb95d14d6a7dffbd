import type { Call, Finding, Outcome, References, Shipping } from '../connector.ts'
import type { HttpAnswer } from '../http-message.ts'
import { type Order, readOrder, unitOf } from './answer.schema.ts'
import { fromMoney } from './money.ts'
import { orderBody, readOptions } from './order.ts'
import { payerOf, refused, toRefusal, unknownOutcome, unprocessed } from './outcome.ts'
import type { Wire } from './wire.ts'

/** Opens the order that the buyer is to approve. The same operation opens it once, as its id is the provider's idempotency key. */
export async function openOrder(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment } = call
  if (!payment?.order) return refused('invalid_operation')
  const { id, amount, currency } = operation
  const body = orderBody({ id, amount, currency, order: payment.order, options: readOptions(payment.options) })
  const reply = await wire.send(call, { method: 'POST', path: '/v2/checkout/orders', body })
  if (reply.refused) return unprocessed(reply.refused.code, reply.refused.reason)
  return toRefusal(reply.answer) ?? openedOutcome(call, reply.answer)
}

function openedOutcome(call: Call, answer: HttpAnswer): Outcome {
  const order = orderOf(call, answer)
  if (!order) return unknownOutcome('the answer is not about this order')
  const link = order.links?.find(({ rel }) => rel === 'payer-action' || rel === 'approve')
  const isRedirect = call.payment?.order?.integrationClient === 'redirect'
  if (isRedirect && !link) return refused('invalid_service_response', {}, referencesOf(order))
  return {
    status: 'pending',
    facts: {},
    references: referencesOf(order),
    approval: isRedirect ? { url: link?.href ?? null, sessionData: null } : { url: null, sessionData: sessionData(call, order) },
  }
}

/** What the buyer's page gives to the provider's script: it must have been loaded with the same client id, intent and currency (SPEC §4.11). */
const sessionData = ({ service, operation, payment }: Call, order: Order) => ({
  orderId: order.id,
  clientId: service.fields['client_id'],
  intent: payment?.order?.intent,
  currency: operation.currency,
})

/** The order in an answer, if it is the one that this operation opened. */
function orderOf({ operation }: Call, answer: HttpAnswer, id?: string): Order | undefined {
  const order = answer.lost ? undefined : readOrder(answer.body, id)
  return order && unitOf(order)?.custom_id === operation.id ? order : undefined
}

const referencesOf = (order: Order): References => ({
  operation: order.id,
  transaction: order.id,
  identifiers: { payment_service_order_id: order.id, ...payerOf(order) },
})

/** Whether the buyer approved. */
export async function findApproval(wire: Wire, call: Call): Promise<Finding> {
  const { paymentReference: id } = call.operation
  // it was never answered: asked again under its key, the provider opens the same order, or the first
  if (id === null) return 'absent'
  const reply = await wire.send(call, { method: 'GET', path: `/v2/checkout/orders/${encodeURIComponent(id)}` })
  if (reply.refused || reply.answer.lost || reply.answer.status !== 200) return 'unsure'
  const order = orderOf(call, reply.answer, id)
  return order ? statusFinding(call, order) : 'unsure'
}

/** An order that is completed has been approved before. */
const statuses: Readonly<Record<string, 'waiting' | 'approved' | 'gone'>> = {
  CREATED: 'waiting',
  SAVED: 'waiting',
  PAYER_ACTION_REQUIRED: 'waiting',
  APPROVED: 'approved',
  COMPLETED: 'approved',
  VOIDED: 'gone',
}

function statusFinding(call: Call, order: Order): Finding {
  const references = referencesOf(order)
  switch (statuses[order.status]) {
    case 'waiting':
      return { found: { status: 'pending', facts: {}, references } }
    case 'gone':
      return { found: refused('cancelled_buyer_approval', { raw_response_code: order.status }, references) }
    case 'approved':
      return { found: approvedOutcome(call, order) }
    default:
      return 'unsure'
  }
}

/** The buyer may have changed the amount only where the merchant's listener said what each shipping costs (SPEC §4.12). */
function approvedOutcome({ operation, payment }: Call, order: Order): Outcome {
  const options = readOptions(payment?.options ?? {})
  const references = withShipping(referencesOf(order), order)
  const amount = fromMoney(unitOf(order)?.amount, operation.currency)
  const mayDiffer = Boolean(options.order_update_callback_config)
  if (!amount || (amount !== operation.amount && !mayDiffer)) return refused('invalid_service_response', {}, references)
  const choosesAddress = (options.shipping_preference ?? 'GET_FROM_FILE') === 'GET_FROM_FILE'
  const shipping = choosesAddress ? shippingOf(order) : undefined
  return { status: 'approved', amount, facts: {}, references, buyer: shipping ? { shipping } : {} }
}

/** The shipping that the buyer chose, among the further ids of the payment. */
function withShipping({ identifiers, ...references }: References, order: Order): References {
  const chosen = unitOf(order)?.shipping?.options?.find(({ selected }) => selected)
  const { id, label } = chosen ?? {}
  return { ...references, identifiers: { ...identifiers, ...(id && { shipping_option_id: id }), ...(label && { shipping_option_label: label }) } }
}

/** The provider has a code of its own for China. */
const countryOf = (code: string) => (code === 'C2' ? 'CN' : code)

function shippingOf(order: Order): Shipping | undefined {
  const { name, address } = unitOf(order)?.shipping ?? {}
  if (!address?.country_code) return undefined
  const [first, ...rest] = (name?.full_name ?? '').trim().split(/\s+/)
  return {
    first_name: first || null,
    last_name: rest.join(' ') || null,
    email_address: order.payer?.email_address ?? null,
    phone_number: null,
    address: {
      line1: address.address_line_1 ?? null,
      line2: address.address_line_2 ?? null,
      city: address.admin_area_2 ?? null,
      state: address.admin_area_1 ?? null,
      postal_code: address.postal_code ?? null,
      country: countryOf(address.country_code),
    },
  }
}

import type { Call, Shipping } from '../contract/call.ts'
import type { BookFinding, Outcome, References } from '../contract/outcome.ts'
import { absent, found, refusedOutcome, unknownOutcome, unsure } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { type Order, readOrder, unitOf } from './answer.schema.ts'
import { fromMoney } from './money.ts'
import { orderBody, readOptions } from './order.ts'
import { payerOf, toRefusal, unprocessed } from './outcome.ts'
import type { Wire } from './wire.ts'

/**
 * Opens the order that the buyer approves. The operation's id is the provider's idempotency key, so the same
 * operation opens one order.
 */
export async function openOrder(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment } = call
  if (!payment?.order) return refusedOutcome('invalid_operation')
  const { id, amount, currency } = operation
  const body = orderBody({
    id,
    amount,
    currency,
    order: payment.order,
    options: readOptions(payment.options),
    storesInstrument: payment.storesInstrument,
  })
  const reply = await wire.send(call, { method: 'POST', path: '/v2/checkout/orders', key: id, body })
  if (reply.refused) return unprocessed(reply.refused.code, reply.refused.reason)
  return toRefusal(reply.answer) ?? openedOutcome(call, reply.answer)
}

function openedOutcome(call: Call, answer: HttpAnswer): Outcome {
  const order = orderOf(call, answer)
  if (!order) return unknownOutcome('the answer is not about this order')
  const link = order.links?.find(({ rel }) => rel === 'payer-action' || rel === 'approve')
  const isRedirect = call.payment?.order?.integrationClient === 'redirect'
  if (isRedirect && !link) return refusedOutcome('invalid_service_response', {}, referencesOf(order))
  return {
    status: 'pending',
    facts: {},
    references: referencesOf(order),
    approval: isRedirect
      ? { url: link?.href ?? null, sessionData: null }
      : { url: null, sessionData: sessionData(call, order) },
  }
}

/**
 * The data for the provider's script on the buyer's page, which must have been loaded with the same client
 * id, intent and currency (API §4.11).
 */
const sessionData = ({ service, operation, payment }: Call, order: Order) => ({
  orderId: order.id,
  clientId: service.fields['client_id'],
  intent: payment?.order?.intent,
  currency: operation.currency,
})

/** The order in an answer, if this operation opened it. */
function orderOf({ operation }: Call, answer: HttpAnswer, id?: string): Order | undefined {
  const order = answer.lost ? undefined : readOrder(answer.body, id)
  return order && unitOf(order)?.custom_id === operation.id ? order : undefined
}

const referencesOf = (order: Order): References => ({
  operation: order.id,
  transaction: order.id,
  identifiers: { payment_service_order_id: order.id, ...payerOf(order) },
})

/** Reads whether the buyer has approved. */
export async function findApproval(wire: Wire, call: Call): Promise<BookFinding> {
  const { paymentReference: id } = call.operation
  // its answer was lost: sent again under its key, it opens one order
  if (id === null) return absent
  const reply = await wire.send(call, {
    method: 'GET',
    path: `/v2/checkout/orders/${encodeURIComponent(id)}`,
  })
  if (reply.refused || reply.answer.lost || reply.answer.status !== 200) return unsure
  const order = orderOf(call, reply.answer, id)
  return order ? statusFinding(call, order) : unsure
}

/** The meaning of an order's status. A completed order was approved before. */
const statuses: Readonly<Record<string, 'waiting' | 'approved' | 'gone'>> = {
  CREATED: 'waiting',
  SAVED: 'waiting',
  PAYER_ACTION_REQUIRED: 'waiting',
  APPROVED: 'approved',
  COMPLETED: 'approved',
  VOIDED: 'gone',
}

function statusFinding(call: Call, order: Order): BookFinding {
  const references = referencesOf(order)
  switch (statuses[order.status]) {
    case 'waiting':
      return found({ status: 'pending', facts: {}, references })
    case 'gone':
      return found(
        refusedOutcome('cancelled_buyer_approval', { raw_response_code: order.status }, references),
      )
    case 'approved':
      return found(approvedOutcome(call, order))
    default:
      return unsure
  }
}

/**
 * The approved amount may differ from the operation's only if the merchant's listener set the shipping costs
 * (API §4.12).
 */
function approvedOutcome({ operation, payment }: Call, order: Order): Outcome {
  const options = readOptions(payment?.options ?? {})
  const references = withShipping(referencesOf(order), order)
  const amount = fromMoney(unitOf(order)?.amount, operation.currency)
  const mayDiffer = Boolean(options.order_update_callback_config)
  if (!amount || (amount !== operation.amount && !mayDiffer))
    return refusedOutcome('invalid_service_response', {}, references)
  const choosesAddress = (options.shipping_preference ?? 'GET_FROM_FILE') === 'GET_FROM_FILE'
  const shipping = choosesAddress ? shippingOf(order) : undefined
  return { status: 'approved', amount, facts: {}, references, buyer: shipping ? { shipping } : {} }
}

/** Adds the shipping option that the buyer chose to the identifiers. */
function withShipping({ identifiers, ...references }: References, order: Order): References {
  const chosen = unitOf(order)?.shipping?.options?.find(({ selected }) => selected)
  const { id, label } = chosen ?? {}
  return {
    ...references,
    identifiers: {
      ...identifiers,
      ...(id && { shipping_option_id: id }),
      ...(label && { shipping_option_label: label }),
    },
  }
}

/** The provider's own code for China is C2. */
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

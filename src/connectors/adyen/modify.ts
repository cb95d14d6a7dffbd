import { type Static, Type } from 'typebox'
import type { Call } from '../contract/call.ts'
import type { Outcome } from '../contract/outcome.ts'
import { unknownOutcome } from '../contract/outcome.ts'
import { Compile } from '../wire/compile.ts'
import { nothingAdded } from '../wire/empty-increment.ts'
import type { AdyenOptions } from './environment.ts'
import { toMoney } from './money.ts'
import { isKeyRemembered, refusalIn, sendPayment, unsendable } from './wire.ts'

const Accepted = Type.Object({
  status: Type.Literal('received'),
  pspReference: Type.String({ minLength: 1 }),
  reference: Type.Optional(Type.String()),
  paymentPspReference: Type.Optional(Type.String()),
  paymentReference: Type.Optional(Type.String()),
})
type Accepted = Static<typeof Accepted>
const accepted = Compile(Accepted)

const missingReference = () => unsendable('unexpected_state', 'the payment has no id at the provider')
const tooFine = () => unsendable('invalid_amount', 'the provider has no such small unit')

type Modify = (options: AdyenOptions, call: Call) => Promise<Outcome>

/** Every modification is accepted first; its outcome comes as a webhook with our reference. */
async function modify(
  options: AdyenOptions,
  call: Call,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  // Adyen would do it a second time; whether it did is in its webhook
  if (call.operation.sentBefore && !isKeyRemembered(options, call))
    return unknownOutcome('it may have been sent before, and its key is forgotten')
  const read = refusalIn(await sendPayment(options, call, path, { ...body, reference: call.operation.id }))
  if ('refusal' in read) return read.refusal
  const { body: answer } = read.answer
  return accepted.Check(answer) && isOurs(call, answer, body)
    ? { status: 'pending', facts: {}, references: { operation: answer.pspReference } }
    : unknownOutcome('the answer belongs to another request')
}

const isOurs = (
  { operation }: Call,
  { reference, paymentPspReference, paymentReference }: Accepted,
  sent: Readonly<Record<string, unknown>>,
): boolean =>
  (reference ?? operation.id) === operation.id &&
  (paymentReference === undefined || paymentReference === sent['paymentReference']) &&
  (paymentPspReference === undefined || paymentPspReference === operation.paymentReference)

const pathOf = (payment: string, action: string) => `/payments/${encodeURIComponent(payment)}/${action}`

/** A modification of an amount. */
const modifyAmount =
  (action: 'captures' | 'refunds'): Modify =>
  async (options, call) => {
    const { paymentReference: payment, amount, currency } = call.operation
    if (payment === null) return missingReference()
    const money = toMoney(amount, currency)
    return money ? modify(options, call, pathOf(payment, action), { amount: money }) : tooFine()
  }

export const capture: Modify = modifyAmount('captures')
export const refund: Modify = modifyAmount('refunds')

/** Releases an authorized payment. */
export const release: Modify = async (options, call) =>
  call.operation.paymentReference === null
    ? missingReference()
    : modify(options, call, pathOf(call.operation.paymentReference, 'cancels'), {})

/**
 * Cancels a payment that is not decided: by our reference, since the provider may not have given it an id.
 */
export const cancel: Modify = async (options, call) => {
  const reference = call.operation.identifiers['payment_service_reference']
  return reference === undefined
    ? missingReference()
    : modify(options, call, '/cancels', { paymentReference: reference })
}

/** What the provider holds, before this increment; undefined: it is not known. */
export function authorizedAmount({ operation: { identifiers } }: Call): number | undefined {
  const text = identifiers['payment_service_authorized_amount']
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Raises the authorization: the provider takes the new total. */
export const increment: Modify = async (options, call) => {
  const { paymentReference: payment, amount, currency } = call.operation
  const before = authorizedAmount(call)
  if (payment === null || before === undefined) return missingReference()
  if (amount === 0) return nothingAdded
  const total = toMoney(before + amount, currency)
  return total ? modify(options, call, pathOf(payment, 'amountUpdates'), { amount: total }) : tooFine()
}

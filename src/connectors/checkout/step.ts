import type { Call, OperationKind } from '../contract/call.ts'
import {
  type BookFinding,
  found,
  type Outcome,
  refusedOutcome,
  unknownOutcome,
  unsure,
} from '../contract/outcome.ts'
import { nothingAdded } from '../wire/empty-increment.ts'
import type { Answered } from '../wire/provider-answer.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { startMargin, whenNothingFound } from './absence.ts'
import { fromCheckoutAmount, toCheckoutAmount } from './amount.ts'
import { type Action, readAccepted, readActions, readIncrement } from './answer.schema.ts'
import { isApproval, refusalCode } from './declines.ts'
import type { CheckoutOptions } from './environment.ts'
import { responseFacts } from './facts.ts'
import { paymentPath, refusalIn, send, sendOperation, unsendable } from './wire.ts'

type StepKind = Extract<OperationKind, 'capture' | 'increment' | 'refund' | 'void'>

/** An operation on a payment: where it goes, what it says beside its reference, and how it is listed. */
interface Step {
  part: string
  type: string
  body: (call: Call) => Record<string, unknown>
  read: (call: Call, answer: Answered) => Outcome | undefined
}

/** Checkout.com accepts the step; its result is in the list of actions, and a notification tells of it. */
const accepted = ({ operation }: Call, { body }: Answered): Outcome | undefined => {
  const id = readAccepted(body, operation.id)
  return id === undefined ? undefined : { status: 'pending', facts: {}, references: { operation: id } }
}

const amountOf = ({ operation: { amount, currency } }: Call) => toCheckoutAmount(amount, currency)

const steps: Readonly<Record<StepKind, Step>> = {
  capture: {
    part: 'captures',
    type: 'Capture',
    body: (call) => ({ amount: amountOf(call), capture_type: call.operation.final ? 'Final' : 'NonFinal' }),
    read: accepted,
  },
  increment: {
    part: 'authorizations',
    type: 'Authorization',
    body: (call) => ({ amount: amountOf(call) }),
    read: readIncremented,
  },
  refund: {
    part: 'refunds',
    type: 'Refund',
    body: (call) => ({ amount: amountOf(call) }),
    read: accepted,
  },
  void: { part: 'voids', type: 'Void', body: () => ({}), read: accepted },
}

const isStep = (kind: OperationKind): kind is StepKind => Object.hasOwn(steps, kind)

/** Captures, voids, refunds or increments. */
export async function takeStep(options: CheckoutOptions, call: Call): Promise<Outcome> {
  const { kind, amount, paymentReference: payment, sentBefore } = call.operation
  if (!isStep(kind)) return unsendable('unsupported_transaction', `there is no ${kind}`)
  if (payment === null) return refusedOutcome('unexpected_state')
  if (kind === 'increment' && amount === 0) return nothingAdded
  if (kind !== 'void' && amountOf(call) === undefined)
    return unsendable('invalid_amount', 'the provider does not take this amount')
  if (sentBefore) {
    // after its time the key would run the request a second time
    const actions = await fetchActions(options, call)
    if (!actions) return unknownOutcome('it may have been sent before, and the books cannot be read')
    const outcome = actionOutcome(call, actions)
    if (outcome) return outcome
    await startMargin(options, call)
  }
  const step = steps[kind]
  const body = { ...step.body(call), reference: call.operation.id }
  const read = refusalIn(await sendOperation(options, call, paymentPath(payment, step.part), body))
  if ('refusal' in read)
    return sentBefore ? confirmRefusal(options, call, read.refusal) : stateOf(read.refusal)
  return step.read(call, read.answer) ?? unknownOutcome('the answer cannot be read')
}

/** Checkout.com answers 403 where the payment's state does not allow the step. */
const stateOf = (refusal: Outcome): Outcome =>
  refusal.status === 'failed' && refusal.facts.raw_response_code === '403'
    ? { ...refusal, code: 'invalid_operation' }
    : refusal

/**
 * The refusal of a request that was sent before: an earlier one may have taken the step, so that this one is
 * refused because of it.
 */
async function confirmRefusal(options: CheckoutOptions, call: Call, refusal: Outcome): Promise<Outcome> {
  if (refusal.status === 'unknown' || (refusal.status === 'failed' && refusal.unprocessed)) return refusal
  const actions = await fetchActions(options, call)
  if (!actions) return unknownOutcome('it was refused, and the books cannot be read')
  return actionOutcome(call, actions) ?? stateOf(refusal)
}

function readIncremented(call: Call, { body }: Answered): Outcome | undefined {
  const answer = readIncrement(body)
  if (!answer || (answer.reference ?? call.operation.id) !== call.operation.id) return undefined
  if (answer.currency !== call.operation.currency) return undefined
  return decided(call, { ...answer, id: answer.action_id, type: 'Authorization' })
}

/** The steps of a payment; undefined: they cannot be read. */
async function fetchActions(
  options: CheckoutOptions,
  call: Call,
  payment = call.operation.paymentReference,
): Promise<Action[] | undefined> {
  if (payment === null) return undefined
  const path = paymentPath(payment, 'actions')
  const answer = await send(options, call, { method: 'GET', path, isList: true })
  return answer && !answer.lost && answer.status === 200 ? readActions(answer.body['list']) : undefined
}

/** Reads the result of a step from the payment's actions. */
export async function findStep(options: CheckoutOptions, call: Call): Promise<BookFinding> {
  if (call.operation.kind === 'increment' && call.operation.amount === 0) return found(nothingAdded)
  const actions = await fetchActions(options, call)
  if (!actions) return unsure
  const outcome = actionOutcome(call, actions)
  return outcome ? found(outcome) : whenNothingFound(options, call)
}

/**
 * The refusal of the capture that follows the approval of a sale; null: it was not refused; undefined: the
 * payment's actions cannot be read. Such a payment stays `Authorized`.
 */
export async function refusedCapture(
  options: CheckoutOptions,
  call: Call,
  payment: string,
): Promise<Outcome | null | undefined> {
  const actions = await fetchActions(options, call, payment)
  if (!actions) return undefined
  const captures = actions.filter(({ type }) => type === 'Capture').map((each) => decided(call, each))
  // a capture that was declined may have been tried again
  const isRefused = captures.length > 0 && captures.every((each) => 'code' in each)
  return isRefused ? (captures.at(-1) ?? null) : null
}

/** The outcome of the operation's own action; undefined: it has none. */
function actionOutcome(call: Call, actions: readonly Action[]): Outcome | undefined {
  const { id, kind } = call.operation
  const type = isStep(kind) ? steps[kind].type : undefined
  const own = actions.filter((each) => each.type === type && each.reference === id)
  // a request that was sent twice may have a second action, which was declined because of the first
  const action = own.find(({ approved }) => approved) ?? own[0]
  return action && decided(call, action)
}

function decided(call: Call, action: Omit<Action, 'reference'>): Outcome {
  const code = nonEmptyText(action.response_code)
  const facts = responseFacts(code, nonEmptyText(action.response_summary))
  const references = { operation: action.id }
  const isApproved = action.approved ?? (code === null ? undefined : isApproval(code))
  if (isApproved === undefined) return { status: 'pending', facts, references }
  if (!isApproved) return refusedOutcome(refusalCode(code ?? ''), facts, references)
  const amount = fromCheckoutAmount(action.amount, call.operation.currency)
  return amount === undefined
    ? unknownOutcome('the amount cannot be read')
    : { status: 'approved', amount, facts, references }
}

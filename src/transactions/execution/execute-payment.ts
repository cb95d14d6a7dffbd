/**
 * Carries out the operations of a payment, one after the other: send, decide what follows, record. Before:
 * an operation is intended, by `create/create-transaction.ts` or `actions/execute-action.ts`. It calls
 * `operations/calls/send-operation.ts`, `decide-next.ts` by way of `look-up-facts.ts`, and
 * `outcome/record-payment-outcome.ts`. After an unknown outcome: `outcome/recover-payment.ts`.
 */

import type { PaymentContext } from '../../connectors/contract/call.ts'
import type { SendResult } from '../../operations/calls/call-result.ts'
import { type SendableOperation, sendOperation } from '../../operations/calls/send-operation.ts'
import { isCompensation, type OperationRow, rejectedUnprocessed } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { buildAuthenticationCall } from '../approval/authentication.ts'
import { dropSealedRequestState, sealRequestState, takeSealedRequestState } from '../approval/challenge.ts'
import { type RecordedOutcome, recordPaymentOutcome } from '../outcome/record-payment-outcome.ts'
import type { PaymentStep } from '../transaction.row.ts'
import { type IntendedOperation, intendNext } from './intend-next.ts'
import { lookUpNextStep, situationOf, withAuthentication } from './look-up-facts.ts'
import type { NextStep } from './next-step.ts'
import { paymentContext, sendableOperation } from './payment-context.ts'
import type { RequestState } from './request-state.ts'

/**
 * Sends an intended operation, decides what follows its outcome (`decideNext`), records both in one commit,
 * and goes on with what follows. Ends where nothing follows, where another process continues, and at an
 * unknown outcome. `requestState`: what the request knows; `known`: the outcome of the first operation, where
 * it is known already.
 */
export async function executePayment(
  world: World,
  start: PaymentStep,
  requestState: RequestState = {},
  known?: SendResult,
): Promise<RecordedOutcome> {
  let run: Run = { step: start, requestState }
  let result = known
  for (;;) {
    const { step } = run
    const payment = await paymentContext(world, step.transaction, step.operation, run.requestState)
    result = retryUntilDecided(step.operation, result ?? (await send(world, run, payment)))
    const { next, timeline } = await lookUpNextStep(
      world,
      situationOf(world, step, result, payment, run.requestState),
    )
    const intended = intendNext(world, step, next)
    // before the cardholder is sent to the issuer, what pays is sealed for the time that it takes
    if (next.kind === 'challenge')
      await sealRequestState(world, step.transaction, run.requestState, next.expiresAt)
    const recorded = await recordPaymentOutcome(world, step, {
      ...result,
      next,
      intended,
      timeline: () => [
        ...timeline,
        ...(isSentByThisProcess(intended) ? [] : (run.requestState.timeline?.() ?? [])),
      ],
      methodProven: run.requestState.methodProven,
      returnTo: returnToOf(run.requestState),
    })
    // the payment was given up before the answer came: the cardholder is not asked any more
    if (next.kind === 'challenge' && !recorded.applied) await dropSealedRequestState(world, step.transaction)
    const following =
      recorded.applied && isSentByThisProcess(intended)
        ? await runAfter(world, run, recorded, next, intended)
        : undefined
    if (!following) return recorded
    run = following
    result = undefined
  }
}

/** One turn: an operation, and what the request knows when it is sent. */
interface Run {
  step: PaymentStep
  requestState: RequestState
}

/** Where the cardholder returns to if the payment service challenges them; undefined: the request says nothing. */
const returnToOf = ({ authenticationOptions: options }: RequestState) =>
  options?.redirectUrl ? { redirectUrl: options.redirectUrl, expiresAt: options.expiresAt } : undefined

/** What is queued is sent by recovery, so that the request need not wait for it. */
const isSentByThisProcess = (intended: IntendedOperation | undefined): intended is IntendedOperation =>
  intended !== undefined && intended.operation.status !== 'queued'

/**
 * The turn after a recorded outcome. Undefined: the payment cannot be continued here, since its sealed card
 * was taken by another process, or has expired.
 */
async function runAfter(
  world: World,
  { step: { operation }, requestState }: Run,
  { transaction }: PaymentStep,
  next: NextStep,
  { operation: following, opens }: IntendedOperation,
): Promise<Run | undefined> {
  const step = { transaction: opens ?? transaction, operation: following }
  switch (next.kind) {
    case 'done':
    case 'challenge':
      return undefined
    case 'authenticate':
    case 'compensate':
      return { step, requestState }
    case 'continue': {
      if (operation.kind !== 'authentication') return { step, requestState }
      // a cardholder who comes back from a challenge comes back without the request
      const paying = requestState.instrument ? requestState : await takeSealedRequestState(world, transaction)
      return paying && { step, requestState: { ...paying, isAuthenticated: true } }
    }
    case 'retry-with-newer-card':
      return { step, requestState: withNewerCard(requestState, next.card) }
    case 'retry-authenticated':
      return { step, requestState: withAuthentication(requestState) }
    case 'retry-at-another-service':
      return { step, requestState: next.at.requestState }
    case 'renew-authorization':
      // another transaction: it names the payment that it renews, and has no card
      return { step, requestState: {} }
  }
}

/** The request's state with the newer card; another payment service is presented the newer one, too. */
function withNewerCard(
  requestState: RequestState,
  { number, snapshot }: Extract<NextStep, { kind: 'retry-with-newer-card' }>['card'],
): RequestState {
  const card = {
    number,
    expirationDate: snapshot.expiration_date,
    securityCode: null,
    scheme: snapshot.scheme,
  }
  return {
    ...requestState,
    instrument: { card },
    isRenewedCard: true,
    presentTo: async (_, instrument) =>
      instrument === null || instrument === 'pan'
        ? { instrument: { card }, type: 'pan', timeline: [] }
        : undefined,
  }
}

/**
 * No merchant asks again for a compensation: one that the payment service rejected unprocessed stays unknown,
 * and recovery retries it until it is decided.
 */
const retryUntilDecided = (operation: OperationRow, result: SendResult): SendResult =>
  isCompensation(operation) && rejectedUnprocessed(result.outcome)
    ? {
        ...result,
        outcome: {
          status: 'unknown',
          reason: 'a compensation was rejected unprocessed; recovery retries it',
        },
      }
    : result

/** Sends an operation, with what only the request knows of it. */
async function send(
  world: World,
  { step, requestState }: Run,
  payment: PaymentContext | undefined,
): Promise<SendResult> {
  const sendable = sendableOperation(step, payment)
  const authentication =
    step.operation.kind === 'authentication'
      ? await buildAuthenticationCall(world, step.transaction, step.operation, requestState)
      : undefined
  return sendOperation(world, {
    ...sendable,
    ...(authentication && { authentication }),
  } satisfies SendableOperation)
}

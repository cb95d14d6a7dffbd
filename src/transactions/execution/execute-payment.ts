import type { TransactionConnectionOptions } from '../../connectors/connection-options.schema.ts'
import type { Instrument, PaymentContext, StoredCredential } from '../../connectors/connector.ts'
import type { CheckFindings } from '../../operations/calls/check-findings.ts'
import { type SendableOperation, type SendResult, sendOperation } from '../../operations/calls/send-operation.ts'
import type { TimelineEntry } from '../../operations/journal/journal.ts'
import { isCompensation, type OperationOutcome, type OperationRow, rejectedUnprocessed } from '../../operations/operation.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { RouteInstrument } from '../../routing/route.ts'
import { toAuthenticationProof } from '../../three-d-secure/proof.ts'
import type { World } from '../../world.ts'
import {
  attemptWithAuthentication,
  authenticateBeforeAttempt,
  authenticationAfterScreening,
  buildAuthenticationCall,
} from '../approval/authentication.ts'
import {
  type AuthenticationOptions,
  dropSealedRequestState,
  openChallengeOf,
  sealRequestState,
  takeSealedRequestState,
} from '../approval/challenge.ts'
import { orderOf } from '../approval/order.ts'
import type { PresentedInstrument } from '../create/instrument.ts'
import { type PaymentStep, type RecordedOutcome, recordPaymentOutcome } from '../outcome/record-payment-outcome.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import { paymentForScreening } from '../review/screening.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { attemptAtAnotherService, attemptWithRenewedCard, type RenewableCard } from './next-attempt.ts'
import { nextOperation, openApprovalToken } from './next-operation.ts'
import type { RetryRoute } from './retry-route.ts'

/** What a request knows and no row holds: the card, and which payment services are left to try. */
export interface RequestState {
  instrument?: Instrument
  storedCredential?: StoredCredential | undefined
  /** As the request gave them; the row keeps them without card numbers. */
  connectionOptions?: TransactionConnectionOptions | null | undefined
  /** What decides the attempts after a refusal; absent: there are none. */
  route?: RetryRoute
  /**
   * How the payment is shown to another payment service than the first; absent: in the same way. Undefined: there is no instrument of the kind that a rule
   * asks for (null: it asks for none).
   */
  presentTo?: (service: ConfiguredService, instrument: RouteInstrument | null) => Promise<PresentedInstrument | undefined>
  /** The card, where the account updater may know a newer one. */
  renewable?: RenewableCard | undefined
  /** The card is a newer one than the payment service refused. */
  isRenewedCard?: boolean
  /** How the card's issuer could ask its cardholder; absent: no card of a request is there. */
  authenticationOptions?: AuthenticationOptions
  /** The issuer has been asked, or would not be: not again for another payment service. */
  isAuthenticated?: boolean
  /** The stored method that is used has succeeded before, and a success of this payment would change nothing about it: the shorter statement settles it. */
  methodProven?: boolean
  /** Lines that end the story of the request. */
  timeline?: () => TimelineEntry[]
}

/** What an approval, authorization or sale is told besides its amount; for one without a card in memory, the payment that it renews. */
export async function paymentContext(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  requestState: RequestState = {},
): Promise<PaymentContext | undefined> {
  if (operation.kind !== 'approval' && operation.kind !== 'authorize' && operation.kind !== 'sale') return undefined
  const order = await orderOf(world, row)
  const approvalToken = openApprovalToken(world, operation)
  // of the card that was refused, not of the one that replaces it
  const authentication = requestState.isRenewedCard ? undefined : toAuthenticationProof(row.three_d_secure)
  return {
    instrument: order ? { ...(approvalToken && { approvalToken }) } : (requestState.instrument ?? (await earlierPaymentInstrument(world, row))),
    ...(order && { order }),
    ...(requestState.isRenewedCard && { isRenewedCard: true }),
    ...(requestState.storedCredential && { storedCredential: requestState.storedCredential }),
    ...(authentication && { authentication }),
    billingPostalCode: row.buyer?.billing_details?.address?.postal_code ?? null,
    allowPartialAuthorization: row.details.allow_partial_authorization ?? false,
    options: connectionOptionsOf(
      requestState.connectionOptions ?? row.details.connection_options,
      row.payment_service?.payment_service_definition_id,
    ),
  }
}

/** The part of the connection options that is this definition's: only that is forwarded (SEMANTICS §3.9). */
export function connectionOptionsOf(
  options: Readonly<Record<string, Record<string, unknown> | null | undefined>> | null | undefined,
  definition: string | undefined,
): Record<string, unknown> {
  return options?.[definition ?? ''] ?? {}
}

async function earlierPaymentInstrument(world: World, row: TransactionRow): Promise<Instrument> {
  if (!row.reauthorized_from_transaction_id) return {}
  const [earlier] = await world.run<{ reference: string | null }>(
    'select payment_service_transaction_id as reference from transactions where merchant_account_id = $1 and id = $2',
    [row.merchant_account_id, row.reauthorized_from_transaction_id],
  )
  return earlier?.reference ? { earlierPayment: earlier.reference } : {}
}

/**
 * Sends an intended operation, settles it, and goes on with what follows: the next payment service after a retriable refusal, the second
 * step of a split capture, a re-authorization. Stops at the first outcome that leads nowhere, or is unknown. `outcomeKnown`: what became of
 * the first operation, where that is known already.
 */
export async function executePayment(
  world: World,
  start: PaymentStep,
  known: RequestState = {},
  outcomeKnown?: SendResult,
): Promise<RecordedOutcome> {
  let step = start
  let requestState = known
  let outcome = outcomeKnown
  for (;;) {
    const { transaction, operation } = step
    const payment = await paymentContext(world, transaction, operation, transaction.id === start.transaction.id ? requestState : {})
    const performed = retryUntilDecided(operation, outcome ?? (await sendOperation(world, await operationToSend(world, step, payment, requestState))))
    outcome = undefined
    const renewal = await attemptWithRenewedCard(world, operation, performed.outcome, payment, requestState)
    const another =
      renewal?.attempt ??
      (await attemptWithAuthentication(world, transaction, operation, performed.outcome, requestState)) ??
      (await authenticateBeforeAttempt(world, transaction, await attemptAtAnotherService(world, operation, performed.outcome, payment, requestState)))
    const row = applyFindings(transaction, performed.findings)
    const next =
      another?.next ??
      (await authenticationAfterScreening(world, row, operation, performed.outcome, requestState)) ??
      nextOperation(world, row, operation, performed.outcome)
    const challenged = await sealForChallenge(world, transaction, operation, performed.outcome, requestState)
    const ends = !next || next.operation.status === 'queued'
    const settled = await recordPaymentOutcome(world, step, {
      ...performed,
      next,
      retries: another !== undefined,
      retryRule: another?.rule,
      instrument: another?.instrument,
      paymentService: another?.service && { id: another.service.id, snapshot: paymentServiceSnapshot(another.service) },
      timeline: () => [...(renewal?.story ?? []), ...((ends && requestState.timeline?.()) || [])],
      methodProven: requestState.methodProven,
      openChallenge: challenged,
    })
    // who answers so late that the payment was given up has nobody to ask
    if (challenged && !settled.applied) await dropSealedRequestState(world, transaction)
    if (ends || !settled.applied) return settled
    requestState = another?.requestState ?? requestState
    if (operation.kind === 'authentication') {
      // who comes back from a challenge comes back without the request
      const paying = requestState.instrument ? requestState : await takeSealedRequestState(world, settled.transaction)
      if (!paying) return settled
      requestState = { ...paying, isAuthenticated: true }
    }
    step = { transaction: next.transaction ?? settled.transaction, operation: next.operation }
  }
}

/** Who was turned away with what nobody asked for has nobody to try it again: recovery does, until it is decided. */
const retryUntilDecided = (operation: OperationRow, performed: SendResult): SendResult =>
  isCompensation(operation) && rejectedUnprocessed(performed.outcome)
    ? { ...performed, outcome: { status: 'unknown', reason: 'turned away, and nobody else asks again' } }
    : performed

/** The transaction as a check leaves it: what follows depends on whether its capture is held. */
export const applyFindings = (row: TransactionRow, findings: CheckFindings | undefined): TransactionRow =>
  findings?.screening?.decision === 'review' ? { ...row, pending_review: true } : row

/** An operation as it is sent, with what only the request that brought it knows. */
async function operationToSend(
  world: World,
  step: PaymentStep,
  payment: PaymentContext | undefined,
  requestState: RequestState,
): Promise<SendableOperation> {
  const { transaction, operation } = step
  const performed = toPerformable(step, payment)
  if (operation.kind !== 'authentication') return performed
  const authentication = await buildAuthenticationCall(world, transaction, operation, requestState)
  return { ...performed, ...(authentication && { authentication }) }
}

/** Before anybody is told of a challenge, what pays is sealed for the time that it takes. */
async function sealForChallenge(
  world: World,
  row: TransactionRow,
  { kind }: OperationRow,
  outcome: OperationOutcome,
  requestState: RequestState,
): Promise<{ expiresAt: string; redirectUrl: string } | undefined> {
  const { authenticationOptions, instrument } = requestState
  if (kind !== 'authentication' || outcome.status !== 'pending' || !instrument || !authenticationOptions?.redirectUrl) return undefined
  await sealRequestState(world, row, requestState, authenticationOptions.expiresAt)
  return { expiresAt: authenticationOptions.expiresAt, redirectUrl: authenticationOptions.redirectUrl }
}

/** The cardholder is, or was, with the card's issuer, and it has come to nothing since. */
const isUnknownToService = ({ status, approval, payment_service_transaction_id: reference }: TransactionRow): boolean =>
  approval?.asks === 'issuer' && (status === 'buyer_approval_pending' || (status === 'authorization_failed' && reference === null))

/** An operation with the ids by which its payment service knows the payment. */
export function toPerformable({ transaction, operation }: PaymentStep, payment: PaymentContext | undefined): SendableOperation {
  const challenge = openChallengeOf(transaction)
  return {
    operation,
    paymentReference: transaction.payment_service_transaction_id,
    identifiers: transaction.identifiers ?? {},
    giftCards: transaction.gift_cards,
    ...(payment && { payment }),
    ...(challenge && { challenge }),
    ...(operation.kind === 'cancel' && { isNeverSent: isUnknownToService(transaction) }),
    ...(operation.kind === 'screening' && { screenedPayment: paymentForScreening(transaction, operation) }),
  }
}

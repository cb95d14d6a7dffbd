import type { TransactionConnectionOptions } from '../connectors/connection-options.schema.ts'
import type { Instrument, PaymentContext, StoredCredential } from '../connectors/connector.ts'
import { type Performable, type Performed, perform } from '../operations/call.ts'
import type { Findings } from '../operations/check.ts'
import type { StoryEntry } from '../operations/journal.ts'
import { isUnasked, type OperationOutcome, type OperationRow, wasTurnedAway } from '../operations/operation.ts'
import type { ConfiguredService } from '../payment-services/payment-service.store.ts'
import type { RouteInstrument } from '../routing/route.ts'
import { proofOf } from '../three-d-secure/proof.ts'
import type { World } from '../world.ts'
import { anotherService, type Renewable, renewedCard } from './another-attempt.ts'
import { askedAuthentication, authenticatedFirst, authenticationAfter, withAuthentication } from './authentication.ts'
import { type Challengeable, challengeOf, hold, letGo, takeHeld } from './challenge.ts'
import { following, openToken } from './following.ts'
import type { ShownInstrument } from './instrument.ts'
import type { LiveRoute } from './live-route.ts'
import { orderOf } from './order.ts'
import { type Concluded, conclude, type Step } from './outcome.ts'
import { paymentServiceSnapshot } from './payment-service-snapshot.ts'
import { screenedPayment } from './screening.ts'
import type { TransactionRow } from './transaction.row.ts'

/** What a request knows and no row holds: the card, and which payment services are left to try. */
export interface Live {
  instrument?: Instrument
  storedCredential?: StoredCredential | undefined
  /** As the request gave them; the row keeps them without card numbers. */
  connectionOptions?: TransactionConnectionOptions | null | undefined
  /** What decides the attempts after a refusal; absent: there are none. */
  route?: LiveRoute
  /**
   * How the payment is shown to another payment service than the first; absent: in the same way. Undefined: there is no instrument of the kind that a rule
   * asks for (null: it asks for none).
   */
  showTo?: (service: ConfiguredService, instrument: RouteInstrument | null) => Promise<ShownInstrument | undefined>
  /** The card, where the account updater may know a newer one. */
  renewable?: Renewable | undefined
  /** The card is a newer one than the payment service refused. */
  isRenewedCard?: boolean
  /** How the card's issuer could ask its cardholder; absent: no card of a request is there. */
  challengeable?: Challengeable
  /** The issuer has been asked, or would not be: not again for another payment service. */
  isAuthenticated?: boolean
  /** The stored method that is used has succeeded before, and a success of this payment would change nothing about it: the shorter statement settles it. */
  methodProven?: boolean
  /** Lines that end the story of the request. */
  story?: () => StoryEntry[]
}

/** What an approval, authorization or sale is told besides its amount; for one without a card in memory, the payment that it renews. */
export async function paymentContext(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  live: Live = {},
): Promise<PaymentContext | undefined> {
  if (operation.kind !== 'approval' && operation.kind !== 'authorize' && operation.kind !== 'sale') return undefined
  const order = await orderOf(world, row)
  const approvalToken = openToken(world, operation)
  // of the card that was refused, not of the one that replaces it
  const authentication = live.isRenewedCard ? undefined : proofOf(row.three_d_secure)
  return {
    instrument: order ? { ...(approvalToken && { approvalToken }) } : (live.instrument ?? (await renewedInstrument(world, row))),
    ...(order && { order }),
    ...(live.isRenewedCard && { isRenewedCard: true }),
    ...(live.storedCredential && { storedCredential: live.storedCredential }),
    ...(authentication && { authentication }),
    billingPostalCode: row.buyer?.billing_details?.address?.postal_code ?? null,
    allowPartialAuthorization: row.details.allow_partial_authorization ?? false,
    options: connectionOptionsOf(live.connectionOptions ?? row.details.connection_options, row.payment_service?.payment_service_definition_id),
  }
}

/** The part of the connection options that is this definition's: only that is forwarded (SEMANTICS §3.9). */
export function connectionOptionsOf(
  options: Readonly<Record<string, Record<string, unknown> | null | undefined>> | null | undefined,
  definition: string | undefined,
): Record<string, unknown> {
  return options?.[definition ?? ''] ?? {}
}

async function renewedInstrument(world: World, row: TransactionRow): Promise<Instrument> {
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
export async function carryOut(world: World, start: Step, known: Live = {}, outcomeKnown?: Performed): Promise<Concluded> {
  let step = start
  let live = known
  let outcome = outcomeKnown
  for (;;) {
    const { transaction, operation } = step
    const payment = await paymentContext(world, transaction, operation, transaction.id === start.transaction.id ? live : {})
    const performed = insisted(operation, outcome ?? (await perform(world, await asked(world, step, payment, live))))
    outcome = undefined
    const renewal = await renewedCard(world, operation, performed.outcome, payment, live)
    const another =
      renewal?.attempt ??
      (await withAuthentication(world, transaction, operation, performed.outcome, live)) ??
      (await authenticatedFirst(world, transaction, await anotherService(world, operation, performed.outcome, payment, live)))
    const row = afterFindings(transaction, performed.findings)
    const next =
      another?.next ??
      (await authenticationAfter(world, row, operation, performed.outcome, live)) ??
      following(world, row, operation, performed.outcome)
    const challenged = await holdForChallenge(world, transaction, operation, performed.outcome, live)
    const ends = !next || next.operation.status === 'queued'
    const settled = await conclude(world, step, {
      ...performed,
      next,
      retries: another !== undefined,
      retryRule: another?.rule,
      instrument: another?.instrument,
      paymentService: another?.service && { id: another.service.id, snapshot: paymentServiceSnapshot(another.service) },
      story: () => [...(renewal?.story ?? []), ...((ends && live.story?.()) || [])],
      methodProven: live.methodProven,
      challenged,
    })
    // who answers so late that the payment was given up has nobody to ask
    if (challenged && !settled.applied) await letGo(world, transaction)
    if (ends || !settled.applied) return settled
    live = another?.live ?? live
    if (operation.kind === 'authentication') {
      // who comes back from a challenge comes back without the request
      const paying = live.instrument ? live : await takeHeld(world, settled.transaction)
      if (!paying) return settled
      live = { ...paying, isAuthenticated: true }
    }
    step = { transaction: next.transaction ?? settled.transaction, operation: next.operation }
  }
}

/** Who was turned away with what nobody asked for has nobody to try it again: recovery does, until it is decided. */
const insisted = (operation: OperationRow, performed: Performed): Performed =>
  isUnasked(operation) && wasTurnedAway(performed.outcome)
    ? { ...performed, outcome: { status: 'unknown', reason: 'turned away, and nobody else asks again' } }
    : performed

/** The transaction as a check leaves it: what follows depends on whether its capture is held. */
export const afterFindings = (row: TransactionRow, findings: Findings | undefined): TransactionRow =>
  findings?.screening?.decision === 'review' ? { ...row, pending_review: true } : row

/** An operation as it is sent, with what only the request that brought it knows. */
async function asked(world: World, step: Step, payment: PaymentContext | undefined, live: Live): Promise<Performable> {
  const { transaction, operation } = step
  const performed = performable(step, payment)
  if (operation.kind !== 'authentication') return performed
  const authentication = await askedAuthentication(world, transaction, operation, live)
  return { ...performed, ...(authentication && { authentication }) }
}

/** Before anybody is told of a challenge, what pays is sealed for the time that it takes. */
async function holdForChallenge(
  world: World,
  row: TransactionRow,
  { kind }: OperationRow,
  outcome: OperationOutcome,
  live: Live,
): Promise<{ expiresAt: string; redirectUrl: string } | undefined> {
  const { challengeable, instrument } = live
  if (kind !== 'authentication' || outcome.status !== 'pending' || !instrument || !challengeable?.redirectUrl) return undefined
  await hold(world, row, live, challengeable.expiresAt)
  return { expiresAt: challengeable.expiresAt, redirectUrl: challengeable.redirectUrl }
}

/** The cardholder is, or was, with the card's issuer, and it has come to nothing since. */
const isUnheardOf = ({ status, approval, payment_service_transaction_id: reference }: TransactionRow): boolean =>
  approval?.asks === 'issuer' && (status === 'buyer_approval_pending' || (status === 'authorization_failed' && reference === null))

/** An operation with the ids by which its payment service knows the payment. */
export function performable({ transaction, operation }: Step, payment: PaymentContext | undefined): Performable {
  const challenge = challengeOf(transaction)
  return {
    operation,
    paymentReference: transaction.payment_service_transaction_id,
    identifiers: transaction.identifiers ?? {},
    giftCards: transaction.gift_cards,
    ...(payment && { payment }),
    ...(challenge && { challenge }),
    ...(operation.kind === 'cancel' && { isUnheardOf: isUnheardOf(transaction) }),
    ...(operation.kind === 'screening' && { screened: screenedPayment(transaction, operation) }),
  }
}

/**
 * Calls the connector of an operation's payment service: to send it, or to look it up. Before: the operation
 * is in the journal. The connectors are in `connectors/`, what they answer is
 * `connectors/contract/outcome.ts`, and their HTTP client with its time limit is `connectors/wire/http.ts`.
 * Gift cards and checks have files beside this one. After: the caller,
 * `transactions/execution/execute-payment.ts` or `transactions/outcome/recover-payment.ts`, decides what
 * follows and records it.
 */

import { mayHaveHadOtherFields } from '../../configured-services/changed-fields.ts'
import type { ScreenedPayment } from '../../connectors/contract/anti-fraud-connector.ts'
import type {
  Address,
  Call,
  Exchange,
  Instrument,
  OperationKind,
  PaymentContext,
  PayoutContext,
} from '../../connectors/contract/call.ts'
import type { Connector } from '../../connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../connectors/contract/outcome.ts'
import {
  absent,
  failedOutcome,
  found,
  unprocessedOutcome,
  unsure,
} from '../../connectors/contract/outcome.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { hideInOutcome, redactor } from '../../connectors/wire/redact.ts'
import { sharedTimeLimit } from '../../connectors/wire/shared-time-limit.ts'
import type { GiftCardTender } from '../../gift-cards/redemptions/redemption.ts'
import { countCall } from '../../payment-services/health/call-counts.ts'
import { notificationUrl } from '../../payment-services/notification-url.ts'
import { paymentService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { commitMark } from '../journal/commit-mark.ts'
import { commitReference } from '../journal/commit-reference.ts'
import { readNotices } from '../journal/notices.ts'
import {
  isBookkeepingKind,
  isCheckKind,
  isGiftCardKind,
  isPaymentKind,
  type OperationOutcome,
  type OperationRow,
  operationLogFields,
} from '../operation.ts'
import {
  type AuthenticationInput,
  type Challenge,
  lookUpAuthentication,
  sendAuthentication,
} from './authentication-call.ts'
import type { LookUpResult, SendResult } from './call-result.ts'
import { lookUpRedemption, sendRedemption } from './gift-card-call.ts'
import { sendScreening } from './screening-call.ts'

/** An operation with everything that its payment service needs. */
export interface SendableOperation {
  operation: OperationRow
  /** The payment service's ids of the payment; empty before there is one. */
  paymentReference: string | null
  identifiers: Readonly<Record<string, string>>
  /** Approvals, authorizations and sales only. Its card is gone once the request that brought it is over. */
  payment?: PaymentContext
  /** Payouts only; gone like the card of an authorization. */
  payout?: PayoutContext
  /** What gift cards pay of the payment; null: nothing. */
  giftCards: GiftCardTender | null
  /** A process that died, or one whose answer was lost, may have sent it before. */
  sentBefore?: boolean
  /** Its outcome is a refusal, and a notification says otherwise. */
  countsAsRefused?: boolean
  /** Screenings only: what the anti-fraud service is shown. */
  screenedPayment?: ScreenedPayment
  /** Authentications only; absent: the card is gone. */
  authentication?: AuthenticationInput
  /** While the cardholder is with the card's issuer: what is known of it. */
  challenge?: Challenge
  /** Cancellations only: no payment service has heard of the payment. */
  isNeverSent?: boolean
}

/**
 * Sends the operation to its payment service, under its id as the idempotency key. No database transaction is
 * open meanwhile.
 */
export async function sendOperation(world: World, sendable: SendableOperation): Promise<SendResult> {
  const { operation } = sendable
  if (isGiftCardKind(operation.kind)) return sendRedemption(world, operation, sendable.giftCards)
  if (operation.kind === 'screening') return sendScreening(world, operation, sendable.screenedPayment)
  if (operation.kind === 'authentication')
    return sendAuthentication(world, operation, sendable.authentication)
  if (operation.kind === 'cancel' && sendable.isNeverSent)
    return { outcome: nothingToCancel(operation), exchanges: [] }
  const prepared = await prepareCall(world, sendable, operation.kind)
  // during an upgrade an older process has no connector for a new definition, and another process has
  if (!prepared) return { outcome: unprocessedOutcome('invalid_service_configuration', {}), exchanges: [] }
  const { connector, call, exchanges, kind } = prepared
  const act = connector.operations[kind]
  if (!act) return { outcome: failedOutcome('unsupported_transaction'), exchanges }
  const counted = { account: operation.merchant_account_id, service: call.service.id, kind }
  return {
    outcome: await outcomeOf(world, operation, prepared, () => countCall(world, counted, () => act(call))),
    exchanges,
  }
}

/** The outcome of a connector's function. One that throws may have sent the operation: it is unknown. */
async function outcomeOf(
  world: World,
  operation: OperationRow,
  { call, hide }: PreparedCall,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return hideInOutcome(believable(call, await act()), hide)
  } catch (error) {
    world.log.error(
      { err: error, ...operationLogFields(operation) },
      'a connector threw: its outcome counts as unknown',
    )
    return { status: 'unknown', reason: 'the connector failed' }
  }
}

/**
 * Reads the payment service's books: `find` for what can be sent again, `close` for what cannot
 * (docs/concepts/operations.md).
 */
export async function lookUpOperation(
  world: World,
  sendable: SendableOperation,
  how: 'find' | 'close',
): Promise<LookUpResult> {
  const { exchanges, ...result } = await askForOutcome(world, sendable, how)
  return { ...result, exchanges: exchanges.map((exchange) => ({ ...exchange, look_up: true })) }
}

async function askForOutcome(
  world: World,
  sendable: SendableOperation,
  how: 'find' | 'close',
): Promise<LookUpResult> {
  const { operation } = sendable
  if (isGiftCardKind(operation.kind)) return lookUpRedemption(world, operation, sendable.giftCards)
  // the anti-fraud service gives the same answer under the same id
  if (operation.kind === 'screening') return { finding: absent, exchanges: [] }
  if (operation.kind === 'authentication') return lookUpAuthentication(world, operation, sendable.challenge)
  if (operation.kind === 'cancel' && sendable.isNeverSent) return { finding: absent, exchanges: [] }
  const prepared = await prepareCall(world, sendable, how)
  if (!prepared) return { finding: unsure, exchanges: [] }
  const { connector, call, exchanges } = prepared
  const finding = await readBooks(world, operation, prepared, () =>
    how === 'close' && connector.close ? connector.close(call) : connector.find(call),
  )
  if (finding.status !== 'found') return { finding, exchanges }
  const outcome = believable(call, finding.outcome)
  return { finding: outcome.status === 'unknown' ? unsure : found(outcome), exchanges }
}

/**
 * Continues an operation whose buyer has come back from the provider's page with `returned`. Undefined: the
 * connector has nothing to send then, and its books tell what the buyer did.
 */
export async function completeAtProvider(
  world: World,
  sendable: SendableOperation,
  returned: Readonly<Record<string, unknown>>,
): Promise<SendResult | undefined> {
  const { operation } = sendable
  const prepared = await prepareCall(world, sendable, operation.kind)
  const complete = prepared?.connector.completeApproval
  if (!prepared || !complete) return undefined
  const { call, exchanges } = prepared
  return { outcome: await outcomeOf(world, operation, prepared, () => complete(call, returned)), exchanges }
}

/**
 * What the payment service's books say of an operation that is decided here: an amount that is not ours, too.
 * Nothing is sent that could change anything there. No exchanges: the payment service was not asked, and the
 * finding tells nothing.
 */
export async function lookUpDecidedOperation(
  world: World,
  sendable: SendableOperation,
): Promise<{ finding: BookFinding<OperationOutcome>; exchanges: Exchange[] }> {
  const { operation } = sendable
  if (isGiftCardKind(operation.kind)) return lookUpRedemption(world, operation, sendable.giftCards)
  const prepared = await prepareCall(world, sendable, 'find')
  if (!prepared || prepared.connector.findExecutes?.includes(prepared.kind))
    return { finding: unsure, exchanges: [] }
  const { connector, call, exchanges } = prepared
  return { finding: await readBooks(world, operation, prepared, () => connector.find(call)), exchanges }
}

/**
 * What the connector reads. Nothing found means nothing there, unless another account of the provider may have
 * been asked: then it is `unsure`.
 */
async function readBooks(
  world: World,
  operation: OperationRow,
  { hide, asksOtherAccount }: PreparedCall,
  read: () => Promise<BookFinding>,
): Promise<BookFinding> {
  try {
    const finding = await read()
    if (finding.status === 'absent' && asksOtherAccount) return unsure
    return finding.status === 'found' ? found(hideInOutcome(finding.outcome, hide)) : finding
  } catch (error) {
    world.log.error(
      { err: error, ...operationLogFields(operation) },
      'a connector threw while reading the books',
    )
    return unsure
  }
}

const nothingToCancel = ({ amount }: OperationRow): OperationOutcome => ({
  status: 'approved',
  amount,
  facts: {},
  references: {},
})

/** The outcome, unless the payment service says what cannot be. */
const believable = (call: Call, outcome: Outcome): Outcome =>
  withReadableAddress(unknownIfNoPage(unknownIfAmountDiffers(call, outcome)))

/**
 * The address that the buyer chose at the payment service, without what the API could not answer: a country
 * that is no code, and empty text. Longer text than the API takes is cut.
 */
function withReadableAddress(outcome: Outcome): Outcome {
  const shipping = outcome.status === 'approved' ? outcome.buyer?.shipping : undefined
  if (outcome.status !== 'approved' || !shipping?.address) return outcome
  const readable = Object.entries(shipping.address).map(([member, text]) => [
    member,
    member === 'country' && !/^[A-Z]{2}$/.test(text ?? '')
      ? null
      : text?.slice(0, MAX_ADDRESS_TEXT[member]) || null,
  ])
  const address: Address = Object.fromEntries(readable)
  return { ...outcome, buyer: { ...outcome.buyer, shipping: { ...shipping, address } } }
}

/** The longest texts of `Address` in the API. */
const MAX_ADDRESS_TEXT: Readonly<Record<string, number>> = {
  line1: 255,
  line2: 255,
  city: 100,
  state: 255,
  postal_code: 50,
}

/** Browsers follow the URL of an approval page: another scheme could run a script in the merchant's page. */
const unknownIfNoPage = (outcome: Outcome): Outcome =>
  outcome.status === 'pending' && typeof outcome.approval?.url === 'string' && !isWebUrl(outcome.approval.url)
    ? { status: 'unknown', reason: 'the approval page has no web address' }
    : outcome

const isWebUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/**
 * An approved amount that differs from the operation's makes the outcome unknown. Two exceptions: an
 * authorization may be approved in part, and the buyer's choice of shipping may change the amount of an
 * approval, before any money moves (API §4.12).
 */
function unknownIfAmountDiffers({ operation, payment }: Call, outcome: Outcome): Outcome {
  if (outcome.status !== 'approved' || operation.kind === 'approval') return outcome
  const partly = isPaymentKind(operation.kind)
  const exact = outcome.amount === operation.amount
  if (exact || operation.kind === 'void' || operation.kind === 'cancel') return outcome
  if (partly && outcome.amount < operation.amount && (payment?.allowPartialAuthorization ?? true))
    return outcome
  return { status: 'unknown', reason: 'the answer speaks of another amount' }
}

/** A provider's token that is an object has its own secret members (`redact.ts`). */
const textOf = (token: Instrument['providerToken']): string | undefined =>
  typeof token === 'string' ? token : undefined

interface PreparedCall {
  connector: Connector
  call: Call
  exchanges: Exchange[]
  kind: OperationKind
  /**
   * The credentials were changed since the operation was sent, perhaps to those of another account. False where
   * the connector reads the payment itself, which that account does not have.
   */
  asksOtherAccount: boolean
  /** Hides the card number and the token of the call. */
  hide: (value: unknown) => unknown
}

async function prepareCall(
  world: World,
  {
    operation,
    paymentReference,
    identifiers,
    payment,
    payout,
    sentBefore = false,
    countsAsRefused = false,
  }: SendableOperation,
  asks: OperationRow['kind'] | 'find' | 'close',
): Promise<PreparedCall | undefined> {
  const { merchant_account_id: account, kind, payment_service_id: serviceId } = operation
  const service = serviceId ? await paymentService(world, account, serviceId) : undefined
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (!service || !connector || isBookkeepingKind(kind) || isGiftCardKind(kind) || isCheckKind(kind))
    return undefined
  const instrument = (payment ?? payout)?.instrument
  const http = sharedTimeLimit(world.http, world.settings.providerTimeout)
  const hide = redactor(
    instrument?.card?.number ?? instrument?.networkToken?.number,
    instrument?.approvalToken ?? instrument?.serviceToken ?? textOf(instrument?.providerToken),
  )
  const { request, exchanges } = recordExchanges(
    instrumentedHttp(
      { http, metrics: world.metrics, tracing: world.tracing },
      { definition: service.payment_service_definition_id, operation: asks },
    ),
    world.clock,
    world.ids,
    hide,
  )
  const call: Call = {
    http: request,
    service: {
      id: service.id,
      fields: service.values,
      notificationUrl: notificationUrl(world, account, service.id),
    },
    operation: {
      id: operation.id,
      kind,
      amount: operation.amount,
      currency: operation.currency,
      final: operation.input.final ?? true,
      paymentReference,
      committedReference: operation.payment_service_transaction_id ?? null,
      mark: operation.mark ?? null,
      identifiers,
      sentBefore,
      ...(countsAsRefused && { countsAsRefused: true as const }),
      ...(operation.late_notice_at && { isNotified: true as const }),
    },
    commitReference: (reference) => commitReference(world, operation, reference),
    commitMark: (mark) => commitMark(world, operation, mark),
    notices: () => readNotices(world, operation, paymentReference),
    ...(payment && { payment }),
    ...(payout && { payout }),
  }
  const readsPayment =
    (paymentReference ?? call.operation.committedReference) !== null &&
    connector.findReadsPayment?.includes(kind)
  const asksOtherAccount = !readsPayment && mayHaveHadOtherFields(service, operation.created_at)
  return { connector, call, exchanges, kind, asksOtherAccount, hide }
}

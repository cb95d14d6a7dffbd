import type { Instrument, PaymentContext } from '../../connectors/contract/call.ts'
import type { SendableOperation } from '../../operations/calls/send-operation.ts'
import { isPaymentKind, type OperationRow } from '../../operations/operation.ts'
import { toAuthenticationProof } from '../../three-d-secure/proof.ts'
import type { World } from '../../world.ts'
import { openApprovalToken } from '../approval/approval-token.ts'
import { openChallengeOf } from '../approval/challenge.ts'
import { orderOf, paysOrder, purchaseOf } from '../approval/order.ts'
import { paymentForScreening } from '../review/screening.ts'
import { type PaymentStep, storesMethod, type TransactionRow } from '../transaction.row.ts'
import type { RequestState } from './request-state.ts'

/**
 * What an approval, authorization or sale sends besides its amount; undefined for other kinds. Without a card
 * in `requestState`, a renewed authorization names the payment that it renews.
 */
export async function paymentContext(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  requestState: RequestState = {},
): Promise<PaymentContext | undefined> {
  if (operation.kind !== 'approval' && operation.kind !== 'authorize' && operation.kind !== 'sale')
    return undefined
  const order = await orderOf(world, row)
  const approvalToken = openApprovalToken(world, operation)
  // the proof is of the card that was refused, not of the one that replaces it
  const authentication = requestState.isRenewedCard ? undefined : toAuthenticationProof(row.three_d_secure)
  return {
    instrument: order
      ? { ...(approvalToken && { approvalToken }) }
      : (requestState.instrument ?? (await earlierPaymentInstrument(world, row))),
    ...(order && { order }),
    ...(requestState.isRenewedCard && { isRenewedCard: true }),
    ...(requestState.storedCredential && { storedCredential: requestState.storedCredential }),
    ...(authentication && { authentication }),
    billingPostalCode: row.buyer?.billing_details?.address?.postal_code ?? null,
    allowPartialAuthorization: row.details.allow_partial_authorization ?? false,
    purchase: () => purchaseOf(world, row),
    canChallenge: canChallenge(row, requestState),
    storesInstrument: storesMethod(row),
    options: connectionOptionsOf(
      requestState.connectionOptions ?? row.details.connection_options,
      row.payment_service?.payment_service_definition_id,
    ),
  }
}

/** A provider's page needs a buyer who is there, and a page of the merchant to come back to. */
const canChallenge = (row: TransactionRow, { authenticationOptions }: RequestState): boolean =>
  !row.merchant_initiated &&
  (row.approval?.redirect_url ?? authenticationOptions?.redirectUrl ?? null) !== null

/** The part of the connection options that is this definition's: only that is sent (semantics §3.9). */
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

/** The cardholder is, or was, with the card's issuer, and nothing was sent to the payment service since. */
const isUnknownToService = ({
  status,
  approval,
  payment_service_transaction_id: reference,
}: TransactionRow): boolean =>
  approval?.asks === 'issuer' &&
  (status === 'buyer_approval_pending' || (status === 'authorization_failed' && reference === null))

/**
 * The payment service's id of the payment. Each attempt to pay opens a payment of its own there, unless it pays an
 * order: until it is answered, the transaction has the id of the attempt before.
 */
const paymentReferenceOf = (transaction: TransactionRow, operation: OperationRow): string | null =>
  isPaymentKind(operation.kind) && !paysOrder(transaction)
    ? (operation.payment_service_transaction_id ?? null)
    : transaction.payment_service_transaction_id

/** An operation with the ids by which its payment service knows the payment. */
export function sendableOperation(
  { transaction, operation }: PaymentStep,
  payment: PaymentContext | undefined,
): SendableOperation {
  const challenge = openChallengeOf(transaction)
  const { late_payment: late } = operation.input
  return {
    operation,
    paymentReference: late ? late.reference : paymentReferenceOf(transaction, operation),
    identifiers: (late ? late.identifiers : transaction.identifiers) ?? {},
    giftCards: transaction.gift_cards,
    ...(payment && { payment }),
    ...(challenge && { challenge }),
    ...(operation.kind === 'cancel' && { isNeverSent: isUnknownToService(transaction) }),
    ...(operation.kind === 'screening' && { screenedPayment: paymentForScreening(transaction, operation) }),
  }
}

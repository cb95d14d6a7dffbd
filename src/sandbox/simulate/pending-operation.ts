import { invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import { isBuyerStep, isCheckKind, isGiftCardKind, type OperationRow } from '../../operations/operation.ts'
import { recoverPayment } from '../../transactions/outcome/recover-payment.ts'
import type { EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

/** The operations that the payment service has accepted and not decided. */
export const pendingOf = ({ operations }: SimulationContext): OperationRow[] =>
  operations.filter(
    (operation) =>
      operation.status === 'pending' &&
      !isBuyerStep(operation) &&
      !isCheckKind(operation.kind) &&
      !isGiftCardKind(operation.kind),
  )

export const pendingProblem = (context: SimulationContext): string | null =>
  pendingOf(context).length > 0 ? null : 'nothing of it is pending'

type Ending = EventOf<'completed'> | EventOf<'declined'>

/**
 * Has the payment service decide a pending operation and send its notification. If the notification does not
 * arrive, the operation is looked up, as recovery would.
 */
export async function simulatePendingEnd(context: SimulationContext, body: Ending): Promise<void> {
  const operation = chooseOperation(pendingOf(context), body.operation_id)
  const code = 'error_code' in body ? codeOf(body) : null
  await sendToSimulator(context, '/simulate/pending-end', { key: operation.id, outcome: body.event, code })
  await recoverPayment(context.world, operation)
}

function chooseOperation(pending: OperationRow[], id: string | undefined): OperationRow {
  const names = pending.map((operation) => `${operation.kind} ${operation.id}`).join(', ')
  const found = id === undefined ? pending : pending.filter((operation) => operation.id === canonicalId(id))
  const [operation, ...others] = found
  if (!operation) throw invalid({ '/operation_id': `is not pending; ${names} is` })
  if (others.length > 0) throw invalid({ '/operation_id': `is needed, as several are pending: ${names}` })
  return operation
}

const groups = { declined: 'decline', failed: 'failure' } as const

function codeOf({ event, error_code: code }: EventOf<'declined'>): string | null {
  if (code === undefined) return null
  if (!isErrorCode(code)) throw invalid({ '/error_code': 'is not one of the error codes' })
  if (errorCodes[code].group !== groups[event]) throw invalid({ '/error_code': `does not go with ${event}` })
  return code
}

/** Whether its authorization holds money that can be captured. */
export const hasCapturableMoney = ({
  transaction: { status, authorized_amount, captured_amount, capture_reserved, capture_closed },
}: SimulationContext): boolean =>
  (status === 'authorization_succeeded' || status === 'capture_succeeded') &&
  !capture_closed &&
  authorized_amount > captured_amount + capture_reserved

/** Expires the authorization at the payment service: the next capture fails. */
export async function expireAuthorization(context: SimulationContext): Promise<void> {
  const { payment_service_id: service, payment_service_transaction_id: payment } = context.transaction
  if (!service || !payment) throw invalidEvent('the payment service has no name for it')
  await sendToSimulator(context, '/simulate/expiry', { service, payment })
}

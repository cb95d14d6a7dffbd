import { invalid } from '../../api/errors.ts'
import { errorCodes, isErrorCode } from '../../connectors/error-codes.ts'
import { isBuyerStep, isCheckKind, isGiftCardKind, type OperationRow } from '../../operations/operation.ts'
import { recoverPayment } from '../../transactions/outcome/recover-payment.ts'
import type { EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

/** What a payment service has accepted and not decided. */
export const pendingOf = ({ operations }: SimulationContext): OperationRow[] =>
  operations.filter(
    (operation) => operation.status === 'pending' && !isBuyerStep(operation) && !isCheckKind(operation.kind) && !isGiftCardKind(operation.kind),
  )

export const pendingProblem = (situation: SimulationContext): string | null => (pendingOf(situation).length > 0 ? null : 'nothing of it is pending')

type Ending = EventOf<'completed'> | EventOf<'declined'>

/** The payment service decides a pending operation and notifies us. Should its notification not arrive, we ask, as recovery would. */
export async function simulatePendingEnd(situation: SimulationContext, body: Ending): Promise<void> {
  const operation = chooseOperation(pendingOf(situation), body.operation_id)
  const code = 'error_code' in body ? codeOf(body) : null
  await sendToSimulator(situation, '/simulate/pending-end', { key: operation.id, outcome: body.event, code })
  await recoverPayment(situation.world, operation)
}

function chooseOperation(pending: OperationRow[], id: string | undefined): OperationRow {
  const names = pending.map((operation) => `${operation.kind} ${operation.id}`).join(', ')
  const found = id === undefined ? pending : pending.filter((operation) => operation.id === id.toLowerCase())
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

/** Its authorization holds money that could still be captured. */
export const hasCapturableMoney = ({
  transaction: { status, authorized_amount, captured_amount, capture_reserved, capture_closed },
}: SimulationContext): boolean =>
  (status === 'authorization_succeeded' || status === 'capture_succeeded') &&
  !capture_closed &&
  authorized_amount > captured_amount + capture_reserved

/** The authorization expires at the payment service: whoever captures learns it. */
export async function expireAuthorization(situation: SimulationContext): Promise<void> {
  const { payment_service_id: service, payment_service_transaction_id: payment } = situation.transaction
  if (!service || !payment) throw invalidEvent('the payment service has no name for it')
  await sendToSimulator(situation, '/simulate/expiry', { service, payment })
}

import type { DisputeNotice } from '../../connectors/contract/connector.ts'
import { recordDispute } from '../../transactions/disputes/record-dispute.ts'
import type { EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext } from './simulation-context.ts'

const WEEK_MS = 7 * 86_400_000

/** What the money does when a dispute gets this status. */
const fundsOf: Readonly<Record<DisputeNotice['status'], DisputeNotice['funds']>> = {
  inquiry: null,
  needs_response: 'withdrawn',
  under_review: null,
  won: 'returned',
  lost: null,
  accepted: null,
  closed: null,
}

export const disputeProblem = ({ world, transaction }: SimulationContext): string | null => {
  const definition = transaction.payment_service?.payment_service_definition_id
  if (!definition || !world.connectors.get(definition)?.disputes)
    return 'its payment service tells of no disputes'
  return transaction.captured_amount > 0 ? null : 'nothing of it is captured'
}

/** The payment service tells of the payment's dispute, of which the sandbox has one. */
export async function simulateDispute(
  { world, account, transaction }: SimulationContext,
  { status = 'needs_response', amount = transaction.captured_amount }: EventOf<'dispute_notified'>,
): Promise<void> {
  const { payment_service_id: service, payment_service_transaction_id: payment } = transaction
  if (service === null || payment === null) throw invalidEvent('no payment service has taken the payment')
  const now = world.clock.now()
  const takesEvidence = status === 'needs_response' || status === 'inquiry'
  await recordDispute(
    world,
    { account, service },
    {
      id: `dp_${transaction.id}`,
      payment,
      status,
      amount,
      currency: transaction.currency,
      funds: fundsOf[status],
      reasonCode: '10.4',
      reason: 'fraudulent',
      evidenceDueAt: takesEvidence ? new Date(now + WEEK_MS).toISOString() : null,
      occurredAt: new Date(now).toISOString(),
    },
  )
}

import { randomUUID } from 'node:crypto'
import type {
  Connector,
  DisputeAnswer,
  DisputeNotice,
  EvidenceSubmission,
} from '../../../src/connectors/contract/connector.ts'
import { notificationUrl } from '../../../src/payment-services/notification-url.ts'
import type { Answer, TestRailyard } from '../railyard.ts'
import type { Payment, Shop } from '../shop.ts'

/** The card provider of the sandbox, which tells of disputes as real card processors do. */
export interface DisputeProvider {
  /** What Railyard asked it to do, in order. */
  submissions: EvidenceSubmission[]
  accepted: { key: string; id: string }[]
  /** What it answers to the next requests. */
  answer: DisputeAnswer
}

/** Makes the instance's card connector tell of disputes and take answers to them. */
export function addDisputeProvider(railyard: TestRailyard): DisputeProvider {
  const connectors = railyard.world.connectors as Map<string, Connector>
  const card = connectors.get('mock-card')
  if (!card) throw new Error('the instance has no card connector')
  const provider: DisputeProvider = { submissions: [], accepted: [], answer: { status: 'done' } }
  connectors.set('mock-card', {
    ...card,
    readNotification: async (call, message) => {
      const { dispute } = message.body
      if (dispute) return { about: 'dispute', dispute: dispute as DisputeNotice }
      return (await card.readNotification?.(call, message)) ?? { about: 'nothing' }
    },
    disputes: {
      async submitEvidence(_call, submission) {
        provider.submissions.push(submission)
        return provider.answer
      },
      async accept(_call, dispute) {
        provider.accepted.push(dispute)
        return provider.answer
      },
    },
  })
  return provider
}

/** A notice of a dispute of 60.00 EUR that waits for evidence, whose money is taken. */
export const disputeNotice = (payment: string, more: Partial<DisputeNotice> = {}): DisputeNotice => ({
  id: `dp_${randomUUID()}`,
  payment,
  status: 'needs_response',
  amount: 60_00,
  currency: 'EUR',
  funds: 'withdrawn',
  reasonCode: '10.4',
  reason: 'fraudulent',
  evidenceDueAt: '2099-01-01T00:00:00.000Z',
  occurredAt: '2026-01-01T10:00:00.000Z',
  ...more,
})

/** The notifications of the provider to the shop's payment service. */
export async function tell(railyard: TestRailyard, shop: Shop, dispute: DisputeNotice): Promise<Answer> {
  const url = new URL(notificationUrl(railyard.world, shop.account, shop.paymentServiceId))
  return railyard.send('POST', url.pathname, {
    body: JSON.stringify({ dispute }),
    headers: { 'content-type': 'application/json' },
  })
}

/** The provider's id of a payment. */
export const referenceOf = async (payment: Payment): Promise<string> =>
  (await payment.read()).payment_service_transaction_id

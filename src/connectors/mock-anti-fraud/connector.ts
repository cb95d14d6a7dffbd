import type {
  AntiFraudAnswer,
  AntiFraudConnector,
  ParsedReviewMessage,
  ScreenedPayment,
  ScreeningDecision,
} from '../contract/anti-fraud-connector.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { definition } from './definition.ts'
import { isSigned, SIGNATURE_HEADER } from './signature.ts'

/** `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/anti-fraud`. */
export function mockAntiFraud(baseUrl: string): AntiFraudConnector {
  return {
    definition,
    async screen({ http, service }, payment) {
      const answer = await http({
        method: 'POST',
        url: `${baseUrl}/${service.id}/checks`,
        headers: { 'x-api-key': service.fields['api_key'] ?? '', 'idempotency-key': payment.id },
        body: toCheck(payment),
      })
      return readAnswer(payment, answer)
    },
    readReviewMessage: ({ service }, { headers, text, body }) =>
      isSigned(service.fields['api_key'], text, headers[SIGNATURE_HEADER])
        ? readReview(body)
        : { status: 'forged' },
  }
}

const toCheck = (payment: ScreenedPayment) => ({
  transaction_id: payment.transactionId,
  external_identifier: payment.externalIdentifier,
  amount: payment.amount,
  currency: payment.currency,
  method: payment.method,
  payment_source: payment.paymentSource,
  card: payment.card,
  buyer: payment.buyer,
  shipping: payment.shipping,
  cart_items: payment.lines,
  ip_address: payment.ipAddress,
  device_fingerprint: payment.deviceFingerprint,
})

const antiFraudDecisions: readonly ScreeningDecision[] = ['accept', 'review', 'reject', 'error', 'skipped']

/** Reads an answer. A service that reports that it is unavailable has skipped the check (semantics §6.3). */
function readAnswer(payment: ScreenedPayment, answer: HttpAnswer): AntiFraudAnswer {
  if (answer.lost) return { status: 'exception', reason: answer.reason }
  if (answer.status === 503)
    return { status: 'decided', verdict: 'skipped', checkId: null, reason: 'the service is unavailable' }
  const { key, decision, id, reason } = answer.body
  const verdict = antiFraudDecisions.find((each) => each === decision)
  if (answer.status >= 300 || key !== payment.id || !verdict)
    return { status: 'exception', reason: nonEmptyText(answer.body['message']) ?? `HTTP ${answer.status}` }
  return { status: 'decided', verdict, checkId: nonEmptyText(id), reason: nonEmptyText(reason) }
}

const decisions = { ACCEPT: 'accept', REJECT: 'reject' } as const
const isDecision = (word: unknown): word is keyof typeof decisions =>
  typeof word === 'string' && Object.hasOwn(decisions, word)

function readReview({ transaction_id, decision, comment }: Record<string, unknown>): ParsedReviewMessage {
  if (typeof transaction_id !== 'string' || !isDecision(decision)) return { status: 'irrelevant' }
  return {
    status: 'decided',
    transactionId: transaction_id,
    decision: decisions[decision],
    comment: nonEmptyText(comment),
  }
}

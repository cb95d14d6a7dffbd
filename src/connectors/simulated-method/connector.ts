import type { Call } from '../contract/call.ts'
import type { Connector } from '../contract/connector.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, failedOutcome, found, unknownOutcome, unsure } from '../contract/outcome.ts'
import { readAccount, readResult, simulatorFinding, toOutcome } from '../wire/simulator-answer.ts'
import { simulatorRequest } from '../wire/simulator-request.ts'
import { definition } from './definition.ts'
import { type MethodKindName, methodKinds, simulatedMethods } from './methods.ts'

/**
 * A payment service for each payment method that the sandbox simulates. `baseUrl` is the simulator's, e.g.
 * `http://127.0.0.1:9090/redirect`.
 */
export const simulatedMethodConnectors = (baseUrl: string): Connector[] =>
  Array.from(simulatedMethods, ([method, kind]) => simulatedMethod(baseUrl, method, kind))

/**
 * The buyer approves an order on the simulator's page, and the sale or authorization pays it. Later
 * operations work as with a card.
 */
function simulatedMethod(baseUrl: string, method: string, kind: MethodKindName): Connector {
  const { delayedCapture, refunds, outcome } = methodKinds[kind]
  const request = simulatorRequest(baseUrl, { header: 'x-merchant-id', field: 'merchant_id' })
  const send = async (call: Call, path: string, body: unknown): Promise<Outcome> =>
    toOutcome(call, await call.http(request(call, 'POST', path, body, call.operation.id)))
  const reference = ({ operation }: Call) => encodeURIComponent(operation.paymentReference ?? '')
  const followUp = (path: string, body: (call: Call) => unknown) => (call: Call) =>
    send(call, `/payments/${reference(call)}${path}`, body(call))

  async function approval(call: Call): Promise<Outcome> {
    const { operation, payment, service } = call
    const order = payment?.order
    if (!order) return failedOutcome('unexpected_state')
    const { amount, currency, id } = operation
    const body = {
      ...{
        method,
        kind,
        amount,
        currency,
        country: order.country,
        merchant: order.merchantName,
        description: order.description,
      },
      lines: order.lines.map(({ name, quantity, unit_amount }) => ({
        name,
        quantity,
        amount: quantity * unit_amount,
      })),
      return_urls: order.returnUrls,
      notification_url: service.notificationUrl,
    }
    const answer = await call.http(request(call, 'POST', '/orders', body, id))
    if (answer.lost || answer.status !== 201) return toOutcome(call, answer)
    const { order_id: opened, url } = answer.body
    if (opened !== id || typeof url !== 'string' || !URL.canParse(url))
      return unknownOutcome('the answer is about another order')
    return {
      status: 'pending',
      facts: {},
      references: { transaction: id },
      approval: { url, sessionData: null },
    }
  }

  /** The order has the id of the approval, so it is found even if its answer was lost. */
  async function findApproval(call: Call): Promise<BookFinding> {
    const { id, amount, currency } = call.operation
    const answer = await call.http(request(call, 'GET', `/orders/${id}`))
    if (answer.lost) return unsure
    if (answer.status === 404) return absent
    const { order_id, status, url, ...order } = answer.body
    if (
      answer.status !== 200 ||
      order_id !== id ||
      order['amount'] !== amount ||
      order['currency'] !== currency
    )
      return unsure
    const references = { transaction: id }
    const ended = (
      code: 'cancelled_buyer_approval' | 'failed_buyer_approval' | 'incomplete_buyer_approval',
    ): BookFinding =>
      found({ status: 'failed', code, facts: { raw_response_code: String(status) }, references })
    if (status === 'waiting' && typeof url === 'string')
      return found({ status: 'pending', facts: {}, references, approval: { url, sessionData: null } })
    if (status === 'approved')
      return found({ status: 'approved', amount, facts: {}, references, buyer: { token: id } })
    if (status === 'declined') return ended('failed_buyer_approval')
    if (status === 'cancelled') return ended('cancelled_buyer_approval')
    return status === 'expired' ? ended('incomplete_buyer_approval') : unsure
  }

  const pay = (call: Call): Promise<Outcome> => {
    const { kind: operationKind, amount, currency } = call.operation
    const order = call.payment?.instrument.approvalToken ?? null
    return send(call, '/payments', {
      kind: operationKind,
      order_id: order,
      amount,
      currency,
      settles: outcome,
      notification_url: call.service.notificationUrl,
    })
  }

  /** Ends the approval, so that the buyer's page has no effect; or ends a payment that is pending. */
  async function cancel(call: Call): Promise<Outcome> {
    const { id, amount, paymentReference } = call.operation
    if (paymentReference?.startsWith('pay_')) return send(call, `/payments/${reference(call)}/cancel`, {})
    const answer = await call.http(request(call, 'DELETE', `/orders/${reference(call)}`, undefined, id))
    if (answer.lost || answer.status >= 300) return toOutcome(call, answer)
    return { status: 'approved', amount, facts: {}, references: {} }
  }

  async function find(call: Call): Promise<BookFinding> {
    const { kind: operationKind, id, paymentReference } = call.operation
    if (operationKind === 'approval') return findApproval(call)
    // absent makes recovery send it again: closing an order twice is harmless
    if (operationKind === 'cancel' && !paymentReference?.startsWith('pay_')) return absent
    const answer = await call.http(request(call, 'GET', `/operations/${id}`))
    return simulatorFinding(answer, { id, closes: false }, (body) => readResult(call, body))
  }

  return {
    definition: definition(method, kind),
    operations: {
      approval,
      sale: pay,
      cancel,
      ...(delayedCapture && {
        authorize: pay,
        capture: followUp('/captures', ({ operation }) => ({
          amount: operation.amount,
          final: operation.final,
        })),
        void: followUp('/void', () => ({})),
      }),
      ...(refunds && { refund: followUp('/refunds', ({ operation }) => ({ amount: operation.amount })) }),
    },
    orderProblems: ({ order }): Record<string, string> =>
      order.intent === 'authorize' && !delayedCapture
        ? { '/intent': `must be capture: ${method} takes the money when the buyer approves` }
        : {},
    find,
    verifyCredentials: async (call) => readAccount(await call.http(request(call, 'GET', '/account'))),
    readNotification: async (_call, { body }) =>
      typeof body['key'] === 'string' ? { about: 'operation', operation: body['key'] } : { about: 'nothing' },
  }
}

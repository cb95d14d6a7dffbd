import type { Call, Connector, Finding, Outcome, ServiceCall } from '../connector.ts'
import type { HttpRequest } from '../http-message.ts'
import { readAccount, readResult, toOutcome } from '../simulator-answer.ts'
import { definition } from './definition.ts'
import { type MethodKindName, methodKinds, simulatedMethods } from './methods.ts'

/** A payment service for each method that the sandbox simulates. `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/redirect`. */
export const simulatedMethodConnectors = (baseUrl: string): Connector[] =>
  Array.from(simulatedMethods, ([method, kind]) => simulatedMethod(baseUrl, method, kind))

/** The buyer approves an order on the simulator's page, and the money step pays it; the rest is as with a card. */
function simulatedMethod(baseUrl: string, method: string, kind: MethodKindName): Connector {
  const { delays, refunds, settles } = methodKinds[kind]
  const request = ({ service }: ServiceCall, verb: HttpRequest['method'], path: string, body?: unknown, key?: string): HttpRequest => ({
    method: verb,
    url: `${baseUrl}/${service.id}${path}`,
    headers: { 'x-merchant-id': service.fields['merchant_id'] ?? '', ...(key && { 'idempotency-key': key }) },
    ...(body !== undefined && { body }),
  })
  const send = async (call: Call, path: string, body: unknown): Promise<Outcome> =>
    toOutcome(call, await call.http(request(call, 'POST', path, body, call.operation.id)))
  const reference = ({ operation }: Call) => encodeURIComponent(operation.paymentReference ?? '')
  const follow = (path: string, body: (call: Call) => unknown) => (call: Call) => send(call, `/payments/${reference(call)}${path}`, body(call))

  async function approval(call: Call): Promise<Outcome> {
    const { operation, payment, service } = call
    const order = payment?.order
    if (!order) return { status: 'failed', code: 'unexpected_state', facts: {}, references: {} }
    const { amount, currency, id } = operation
    const asked = {
      ...{ method, kind, amount, currency, country: order.country, merchant: order.merchantName, description: order.description },
      lines: order.lines.map(({ name, quantity, unit_amount }) => ({ name, quantity, amount: quantity * unit_amount })),
      return_urls: order.returnUrls,
      notification_url: service.notificationUrl,
    }
    const answer = await call.http(request(call, 'POST', '/orders', asked, id))
    if (answer.lost || answer.status !== 201) return toOutcome(call, answer)
    const { order_id: opened, url } = answer.body
    if (opened !== id || typeof url !== 'string' || !URL.canParse(url)) return { status: 'unknown', reason: 'the answer is about another order' }
    return { status: 'pending', facts: {}, references: { transaction: id }, approval: { url, sessionData: null } }
  }

  /** The order has the approval's id, so that it is found though its answer was lost. */
  async function findApproval(call: Call): Promise<Finding> {
    const { id, amount, currency } = call.operation
    const answer = await call.http(request(call, 'GET', `/orders/${id}`))
    if (answer.lost) return 'unsure'
    if (answer.status === 404) return 'absent'
    const { order_id: found, status, url, ...order } = answer.body
    if (answer.status !== 200 || found !== id || order['amount'] !== amount || order['currency'] !== currency) return 'unsure'
    const references = { transaction: id }
    const ended = (code: 'cancelled_buyer_approval' | 'failed_buyer_approval' | 'incomplete_buyer_approval'): Finding => ({
      found: { status: 'failed', code, facts: { raw_response_code: String(status) }, references },
    })
    if (status === 'waiting' && typeof url === 'string')
      return { found: { status: 'pending', facts: {}, references, approval: { url, sessionData: null } } }
    if (status === 'approved') return { found: { status: 'approved', amount, facts: {}, references, buyer: { token: id } } }
    if (status === 'declined') return ended('failed_buyer_approval')
    if (status === 'cancelled') return ended('cancelled_buyer_approval')
    return status === 'expired' ? ended('incomplete_buyer_approval') : 'unsure'
  }

  const pay = (call: Call): Promise<Outcome> => {
    const { kind: step, amount, currency } = call.operation
    const order = call.payment?.instrument.approvalToken ?? null
    return send(call, '/payments', { kind: step, order_id: order, amount, currency, settles, notification_url: call.service.notificationUrl })
  }

  /** The buyer is no longer asked, and nothing can come of their page; or a payment that is pending ends. */
  async function cancel(call: Call): Promise<Outcome> {
    const { id, amount, paymentReference } = call.operation
    if (paymentReference?.startsWith('pay_')) return send(call, `/payments/${reference(call)}/cancel`, {})
    const answer = await call.http(request(call, 'DELETE', `/orders/${reference(call)}`, undefined, id))
    if (answer.lost || answer.status >= 300) return toOutcome(call, answer)
    return { status: 'approved', amount, facts: {}, references: {} }
  }

  async function find(call: Call): Promise<Finding> {
    const { kind: step, id, paymentReference } = call.operation
    if (step === 'approval') return findApproval(call)
    // sent again: closing an order twice is harmless
    if (step === 'cancel' && !paymentReference?.startsWith('pay_')) return 'absent'
    const answer = await call.http(request(call, 'GET', `/operations/${id}`))
    if (answer.lost) return 'unsure'
    if (answer.status === 404) return 'absent'
    if (answer.status !== 200) return 'unsure'
    const found = readResult(call, answer.body)
    return found.status === 'unknown' ? 'unsure' : { found }
  }

  return {
    definition: definition(method, kind),
    operations: {
      approval,
      sale: pay,
      cancel,
      ...(delays && {
        authorize: pay,
        capture: follow('/captures', ({ operation }) => ({ amount: operation.amount, final: operation.final })),
        void: follow('/void', () => ({})),
      }),
      ...(refunds && { refund: follow('/refunds', ({ operation }) => ({ amount: operation.amount })) }),
    },
    orderProblems: ({ order }): Record<string, string> =>
      order.intent === 'authorize' && !delays ? { '/intent': `must be capture: ${method} takes the money when the buyer approves` } : {},
    find,
    verifyCredentials: async (call) => readAccount(await call.http(request(call, 'GET', '/account'))),
    readNotification: async (_call, { body }) => (typeof body['key'] === 'string' ? { operation: body['key'] } : 'nothing'),
  }
}

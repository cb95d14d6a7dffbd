import type { Call, ServiceCall } from '../contract/call.ts'
import type { Connector, CredentialCheck, RequestedOrder, SessionAnswer } from '../contract/connector.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { BookFinding } from '../contract/outcome.ts'
import { absent, found } from '../contract/outcome.ts'
import { closeApproval, findApproval, openApproval } from './approval.ts'
import { definition } from './definition.ts'
import { notificationSubject } from './notification.ts'
import { findOrder, placeOrder } from './order.ts'
import { findOrderOperation, sendOrderOperation } from './order-operations.ts'
import { offeredReports, settlementReport } from './settlement-report.ts'
import { type Wire, wire as wireTo } from './wire.ts'

/**
 * Klarna's connector. `simulatorUrl` is the simulator's, e.g. `http://127.0.0.1:9090/bnpl`; undefined in
 * production.
 */
export function bnpl(simulatorUrl: string | undefined): Connector {
  const wire = wireTo(simulatorUrl)
  return {
    definition: definition(simulatorUrl !== undefined),
    operations: {
      approval: (call) => openApproval(wire, call),
      authorize: (call) => placeOrder(wire, call),
      sale: (call) => placeOrder(wire, call),
      capture: (call) => sendOrderOperation(wire, call, 'capture'),
      refund: (call) => sendOrderOperation(wire, call, 'refund'),
      void: (call) => sendOrderOperation(wire, call, 'void'),
      cancel: (call) =>
        hasOrder(call) ? sendOrderOperation(wire, call, 'cancel') : closeApproval(wire, call),
    },
    approvalTokenIn: ({ authorization_token: token }) => (typeof token === 'string' ? token : undefined),
    orderProblems,
    find: (call) => find(wire, call),
    findExecutes: ['cancel'],
    findReadsPayment: ['capture', 'refund', 'void'],
    verifyCredentials: (call) => verifyCredentials(wire, call),
    settlementReport,
    offeredReports: (call, since) => offeredReports(wire, call, since),
    session,
    readNotification: async (_call, { body }) => notificationSubject(body),
  }
}

const hasOrder = ({ operation }: Call) => operation.identifiers['payment_service_order_id'] !== undefined

async function find(wire: Wire, call: Call): Promise<BookFinding> {
  const { kind } = call.operation
  switch (kind) {
    case 'approval':
      return findApproval(wire, call)
    case 'authorize':
    case 'sale':
      return findOrder(wire, call)
    case 'cancel':
      // absent makes recovery send it again, so that an order that was accepted meanwhile is cancelled too
      return hasOrder(call) ? absent : found(await closeApproval(wire, call))
    case 'increment':
    case 'payout':
      return absent
    default:
      return findOrderOperation(wire, call, kind)
  }
}

const OPTIONS = '/connection_options/bnpl-bnpl'

/**
 * The rules that need only the request. This version stores no payment method, so an authorization's token
 * has no use.
 */
function orderProblems({ order, options }: RequestedOrder): Record<string, string> {
  const token = options['authorization_token']
  return {
    ...(!order.country && { '/country': 'is required by this payment service' }),
    ...(options['token_only_mode'] === true && {
      [`${OPTIONS}/token_only_mode`]: 'cannot be true: this version does not store payment methods',
    }),
    ...(options['subscription'] != null && {
      [`${OPTIONS}/subscription`]: 'is not supported: this version does not store payment methods',
    }),
    ...(typeof token === 'string' &&
      (token === '' || token.length > 1000) && {
        [`${OPTIONS}/authorization_token`]: 'must have 1 to 1000 characters',
      }),
  }
}

/** Requests an order that does not exist: the provider answers 404 only to valid credentials. */
async function verifyCredentials(wire: Wire, call: ServiceCall): Promise<CredentialCheck> {
  const answer = await wire.send(call, {
    method: 'GET',
    path: '/ordermanagement/v1/orders/00000000-0000-0000-0000-000000000000',
  })
  if (answer.lost) return 'no answer'
  if (answer.status === 401 || answer.status === 403) return 'refused'
  return answer.status === 404 ? 'accepted' : 'no answer'
}

/**
 * The client id that the express button needs (API §4.2). The merchant gets it from the provider's portal;
 * there is no request for it.
 */
async function session({ service }: ServiceCall, body: Record<string, unknown>): Promise<SessionAnswer> {
  const clientId = service.fields['client_id']
  if (Object.keys(body).length > 0)
    return notSent(
      'invalid_request_parameters',
      'This payment service creates no sessions by themselves: the body must be empty',
    )
  if (!clientId)
    return notSent(
      'invalid_service_configuration',
      'This payment service has no client_id, which the express button needs',
    )
  return { status: 'succeeded', statusCode: 200, body: { client_id: clientId } }
}

const notSent = (code: ErrorCode, message: string): SessionAnswer => ({
  status: 'failed',
  code,
  statusCode: null,
  body: null,
  message,
})

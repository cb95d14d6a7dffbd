import type { Answer, Call, Incoming } from '../../core/provider-messages.ts'
import { isUuid, type ProviderRequest } from '../../core/provider-request.ts'
import { reportAnswer, reportListAnswer } from '../../core/settlement-report.ts'
import { scriptAnswer } from '../../page/html-answer.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { cancelAuthorization, placeOrder } from './authorization.ts'
import { approveExpress, approveInClient, withCors } from './buyer-script.ts'
import {
  decideCheckout,
  decideForBuyer,
  disablePage,
  openPage,
  readPage,
  showCheckout,
} from './hosted-page.ts'
import {
  expireOrder,
  extendTime,
  listCaptures,
  readCapture,
  readOrder,
  readRefund,
  releaseRemaining,
} from './order.ts'
import { cancel, cancelKind, capture, refund } from './order-change.ts'
import { errorAnswer } from './refusals.ts'
import { bnplReport } from './report.ts'
import { type KeyedRequest, noContent } from './request.ts'
import { sdk } from './sdk.ts'
import { openSession, readSession, updateSession } from './session.ts'

type Operation = Call['operation']
type OperationOf = Operation | ((request: ProviderRequest, ids: readonly string[]) => Operation)

/**
 * A resource of the provider. `merchant` needs Basic authentication; `money` an idempotency key as well;
 * `buyer` is for a browser.
 */
interface Route {
  caller: 'merchant' | 'money' | 'buyer'
  operation: OperationOf
  process: (request: KeyedRequest, ids: readonly string[]) => Answer | null
}

const merchantRoute = (
  operation: OperationOf,
  process: (request: ProviderRequest, id: string, second: string) => Answer,
): Route => ({
  caller: 'merchant',
  operation,
  process: (request, [id = '', second = '']) => process(request, id, second),
})

const moneyRoute = (
  operation: OperationOf,
  process: (request: KeyedRequest, id: string) => Answer,
): Route => ({
  caller: 'money',
  operation,
  process: (request, [id = '']) => process(request, id),
})

const buyerRoute = (
  process: (request: ProviderRequest, id: string, second: string) => Answer | null,
): Route => ({
  caller: 'buyer',
  operation: 'page',
  process: (request, [id = '', second = '']) => process(request, id, second),
})

const isSale = ({ incoming: { body } }: ProviderRequest) =>
  typeof body === 'object' && body !== null && 'auto_capture' in body && body.auto_capture === true

const orders = '/ordermanagement/v1/orders'

/** The provider's resources; `*` stands for an id. */
const routes = new Map<string, Route>([
  ['POST /payments/v1/sessions', merchantRoute('approval', openSession)],
  ['GET /payments/v1/sessions/*', merchantRoute('find', readSession)],
  ['POST /payments/v1/sessions/*', merchantRoute('session', updateSession)],
  ['DELETE /payments/v1/authorizations/*', merchantRoute('cancel', cancelAuthorization)],
  [
    'POST /payments/v1/authorizations/*/order',
    moneyRoute((request) => (isSale(request) ? 'sale' : 'authorize'), placeOrder),
  ],
  ['POST /hpp/v1/sessions', merchantRoute('approval', openPage)],
  ['GET /hpp/v1/sessions/*', merchantRoute('find', readPage)],
  ['DELETE /hpp/v1/sessions/*', merchantRoute('cancel', disablePage)],
  [`GET ${orders}/*`, merchantRoute('find', readOrder)],
  [`POST ${orders}/*/captures`, moneyRoute('capture', capture)],
  [`GET ${orders}/*/captures`, merchantRoute('find', listCaptures)],
  [`GET ${orders}/*/captures/*`, merchantRoute('find', readCapture)],
  [`POST ${orders}/*/refunds`, moneyRoute('refund', refund)],
  [`GET ${orders}/*/refunds/*`, merchantRoute('find', readRefund)],
  [
    `POST ${orders}/*/cancel`,
    moneyRoute(({ sandbox, service }, [id = '']) => cancelKind(sandbox, service, id), cancel),
  ],
  [`POST ${orders}/*/release-remaining-authorization`, merchantRoute('capture', releaseRemaining)],
  [`POST ${orders}/*/extend-authorization-time`, merchantRoute('capture', extendTime)],
  [
    'GET /settlements/v1/reports',
    merchantRoute('report', ({ sandbox, service, incoming }) =>
      reportListAnswer(sandbox, service, incoming, bnplReport),
    ),
  ],
  [
    'GET /settlements/v1/reports/settlement.csv',
    merchantRoute('report', ({ sandbox, service, incoming }) =>
      reportAnswer(sandbox, service, incoming, bnplReport),
    ),
  ],
  ['GET /checkout/*', buyerRoute(showCheckout)],
  ['POST /checkout/*/*', buyerRoute(decideCheckout)],
  ['GET /sdk.js', buyerRoute(() => scriptAnswer(sdk))],
  [
    'POST /sdk/sessions/*/authorize',
    buyerRoute((request, token) => withCors(approveInClient(request, token))),
  ],
  ['OPTIONS /sdk/sessions/*/authorize', buyerRoute(() => withCors(noContent))],
  ['POST /sdk/express', buyerRoute((request) => withCors(approveExpress(request)))],
  ['OPTIONS /sdk/express', buyerRoute(() => withCors(noContent))],
])

const compiled = Array.from(routes, ([name, route]) => ({
  pattern: new RegExp(`^${name.replaceAll('*', '([^/]+)')}$`),
  route,
}))

/** The sandbox's buy-now-pay-later provider: `/bnpl/{payment_service_id}/…`. */
export const bnplProvider: Provider = {
  receive,
  notification: (_sandbox, { payment_id }, { status }) => ({
    body: JSON.stringify({
      order_id: payment_id,
      event_type: status === 'declined' ? 'FRAUD_RISK_REJECTED' : 'FRAUD_RISK_ACCEPTED',
    }),
  }),
  report: bnplReport,
  // it decides only the risk of an order later
  lateRefusals: (kind) => (kind === 'authorize' || kind === 'sale' ? ['suspected_fraud'] : []),
  decideForBuyer,
  expire: expireOrder,
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const [, service, ...rest] = incoming.path
  if (!service) return null
  const name = `${incoming.method} /${rest.join('/')}`
  const found = compiled.find(({ pattern }) => pattern.test(name))
  if (!found) return null
  const ids = found.pattern.exec(name)?.slice(1) ?? []
  const { caller, operation, process } = found.route
  const request = { sandbox, service, incoming }
  const given = incoming.headers['klarna-idempotency-key']
  const key = typeof given === 'string' ? given : null
  return {
    payment_service_id: service,
    operation: typeof operation === 'string' ? operation : operation(request, ids),
    key: caller === 'money' ? key : null,
    process() {
      const refusal = caller === 'buyer' ? null : credentialsRefusal(incoming)
      if (refusal) return refusal
      if (caller === 'money' && !isUuid(key))
        return errorAnswer(400, 'BAD_VALUE', 'Klarna-Idempotency-Key must be a UUID')
      const answer =
        process({ ...request, key: key ?? '' }, ids) ?? errorAnswer(404, 'NOT_FOUND', 'There is no such page')
      // repeated, so that a caller can tell the answer to another request
      return key === null
        ? answer
        : { ...answer, headers: { ...answer.headers, 'klarna-idempotency-key': key } }
    },
  }
}

/** Any credentials are good except the password `invalid`. */
function credentialsRefusal({ headers: { authorization = '' } }: Incoming): Answer | null {
  const [scheme, encoded = ''] = authorization.split(' ')
  const [username, password] = Buffer.from(encoded, 'base64').toString().split(':')
  const isGood = scheme === 'Basic' && username && password && password !== 'invalid'
  return isGood ? null : errorAnswer(401, 'UNAUTHORIZED', 'There is no such merchant')
}

import { type Answer, type Call, type Incoming, json } from '../../core/provider-messages.ts'
import { isUuid, newCall, type Process, type ProviderRequest } from '../../core/provider-request.ts'
import { reportAnswer, reportListAnswer } from '../../core/settlement-report.ts'
import { scriptAnswer } from '../../page/html-answer.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { AccessTokens } from './access-tokens.ts'
import { signingCertificate } from './certificate.ts'
import { checkout, decideForBuyer, handoff } from './checkout.ts'
import { acceptClaim, provideEvidence, readDispute } from './dispute.ts'
import { issueError, walletError } from './errors.ts'
import { changeIntent, headerOf, isMovements, openOrder, readMovement, readOrder } from './order.routes.ts'
import { movementOf, orderOf } from './order.ts'
import {
  captureAuthorization,
  type MoneyCall,
  payOrder,
  refundCapture,
  releaseKind,
  voidAuthorization,
} from './payment.routes.ts'
import { codesDeniedLater } from './refusal-codes.ts'
import { changeWebhook, listWebhooks, registerWebhook } from './registered-webhook.ts'
import { walletReport } from './report.ts'
import { sdk } from './sdk.ts'
import { eventOf, type Signer, signedMessage } from './webhooks.ts'

/** The state of one simulator's wallet in memory. */
interface Wallet {
  tokens: AccessTokens
  signer: (sandbox: Sandbox) => Signer
}

/**
 * The sandbox's wallet: `/wallet/{payment_service_id}/…`, and below it the paths of the provider that it
 * simulates.
 */
export function walletProvider(): Provider {
  let signer: Signer | undefined
  const wallet: Wallet = {
    tokens: new AccessTokens(),
    signer({ clock }) {
      signer ??= signingCertificate(clock)
      return signer
    },
  }
  return {
    receive: (sandbox, incoming) => receive(wallet, sandbox, incoming),
    async notification(sandbox, payment, result) {
      const order = orderOf(sandbox, payment.payment_service_id, payment.payment_id)
      const event = order && eventOf(sandbox, order, result)
      return order?.webhook && event
        ? signedMessage(sandbox, wallet.signer(sandbox), order.webhook, event)
        : { body: '{}' }
    },
    report: walletReport,
    lateRefusals: codesDeniedLater,
    decideForBuyer: (sandbox, service, id, decision) =>
      decideForBuyer(sandbox, wallet.signer(sandbox), service, id, decision),
  }
}

interface WalletRequest extends ProviderRequest {
  wallet: Wallet
}

function receive(wallet: Wallet, sandbox: Sandbox, incoming: Incoming): Call | null {
  const [, service, ...rest] = incoming.path
  if (!service) return null
  const request = { wallet, sandbox, incoming, service }
  const [area, part, ...more] = rest
  if (area === 'checkout') return page(request, rest.slice(1))
  if (area === 'sdk.js' || area === 'sdk') return script(request, rest)
  if (area === 'certs' && incoming.method === 'GET') return certificate(request)
  switch (`${incoming.method} /${area}/${part}`) {
    case 'POST /v1/oauth2':
      return newCall(request, 'token', null, () => wallet.tokens.grant(sandbox, service, incoming))
    case 'GET /v1/reporting':
      return reportCall(request, more)
    case 'POST /v2/checkout':
      return orderCall(request, more)
    case 'GET /v2/checkout':
      return more.length === 2
        ? authenticatedCall(request, 'find', null, () => readOrder(sandbox, service, more[1] ?? ''))
        : null
    case 'PATCH /v2/checkout':
      return more.length === 2
        ? authenticatedCall(request, 'close', null, () =>
            changeIntent(sandbox, service, more[1] ?? '', incoming.body),
          )
        : null
    case 'POST /v2/payments':
      return paymentCall(request, more)
    case 'POST /v1/customer':
    case 'GET /v1/customer':
      return disputeCall(request, more)
    case 'POST /v1/notifications':
    case 'GET /v1/notifications':
    case 'PATCH /v1/notifications':
      return webhookCall(request, more)
    case 'GET /v2/payments': {
      const [resource = '', id = ''] = more
      return isMovements(resource)
        ? authenticatedCall(request, 'find', null, () => readMovement(sandbox, service, resource, id))
        : null
    }
    default:
      return null
  }
}

/**
 * A call of the API: checks the bearer token, then answers the issue that the caller asks to rehearse, if
 * any.
 */
function authenticatedCall(
  request: WalletRequest,
  operation: Call['operation'],
  key: string | null,
  process: Process,
): Call {
  const { wallet, sandbox, service, incoming } = request
  return newCall(request, operation, key, () => {
    if (wallet.tokens.client(sandbox, service, incoming) === undefined) return walletError(401)
    const rehearsed = mockedIssue(incoming)
    return rehearsed ? issueError(rehearsed) : process()
  })
}

/** `PayPal-Mock-Response: {"mock_application_codes":"INSTRUMENT_DECLINED"}` */
function mockedIssue(incoming: Incoming): string | undefined {
  const header = headerOf(incoming, 'paypal-mock-response')
  return header === undefined ? undefined : /"mock_application_codes"\s*:\s*"(\w+)"/.exec(header)?.[1]
}

function reportCall(request: WalletRequest, [resource, ...rest]: string[]): Call | null {
  const { sandbox, service, incoming } = request
  if (rest.length > 0) return null
  if (resource === 'settlements.csv')
    return authenticatedCall(request, 'report', null, () =>
      reportAnswer(sandbox, service, incoming, walletReport),
    )
  return resource === 'settlements'
    ? authenticatedCall(request, 'report', null, () =>
        reportListAnswer(sandbox, service, incoming, walletReport),
      )
    : null
}

function disputeCall(request: WalletRequest, [resource, id, action, ...rest]: string[]): Call | null {
  const { sandbox, service, incoming } = request
  if (resource !== 'disputes' || id === undefined || rest.length > 0) return null
  const call = (process: Process) => authenticatedCall(request, 'dispute', null, process)
  switch (`${incoming.method} ${action ?? ''}`) {
    case 'GET ':
      return call(() => readDispute(sandbox, service, id))
    case 'POST provide-evidence':
      return call(() => provideEvidence(sandbox, service, id, incoming.body))
    case 'POST accept-claim':
      return call(() => acceptClaim(sandbox, service, id, incoming.body))
    default:
      return null
  }
}

function webhookCall(request: WalletRequest, [resource, id, ...rest]: string[]): Call | null {
  const { sandbox, service, incoming } = request
  if (resource !== 'webhooks' || rest.length > 0) return null
  if (id !== undefined)
    return incoming.method === 'PATCH'
      ? authenticatedCall(request, 'account', null, () => changeWebhook(sandbox, service, id, incoming.body))
      : null
  switch (incoming.method) {
    case 'GET':
      return authenticatedCall(request, 'account', null, () => listWebhooks(sandbox, service))
    case 'POST':
      return authenticatedCall(request, 'account', null, () =>
        registerWebhook(sandbox, service, incoming.body),
      )
    default:
      return null
  }
}

const requestId = ({ incoming }: WalletRequest) => headerOf(incoming, 'paypal-request-id') ?? null

function orderCall(request: WalletRequest, [resource, id, action, ...rest]: string[]): Call | null {
  const { wallet, sandbox, service, incoming } = request
  if (resource !== 'orders' || rest.length > 0) return null
  if (id === undefined) {
    const client = wallet.tokens.client(sandbox, service, incoming) ?? ''
    return authenticatedCall(request, 'approval', requestId(request), () =>
      openOrder(sandbox, service, client, incoming),
    )
  }
  if (action === 'authorize')
    return moneyCall(request, 'authorize', (call) => payOrder(call, id, 'authorize'))
  return action === 'capture' ? moneyCall(request, 'sale', (call) => payOrder(call, id, 'sale')) : null
}

function paymentCall(request: WalletRequest, [resource, id = '', action, ...rest]: string[]): Call | null {
  if (rest.length > 0) return null
  switch (`${resource}/${action}`) {
    case 'authorizations/capture':
      return moneyCall(request, 'capture', (call) => captureAuthorization(call, id))
    case 'authorizations/void':
      return moneyCall(request, releaseOf(request, id), (call) => voidAuthorization(call, id))
    case 'captures/refund':
      return moneyCall(request, 'refund', (call) => refundCapture(call, id))
    default:
      return null
  }
}

/** Whether a void will be a void or a cancel, for the faults of each. */
const releaseOf = ({ sandbox, service }: WalletRequest, id: string) =>
  releaseKind(sandbox, movementOf(sandbox, service, id)?.order.id ?? '')

/** A call that moves money. A request without an id gets a new one: it is never a repetition. */
function moneyCall(
  request: WalletRequest,
  operation: Call['operation'],
  process: (call: MoneyCall) => Answer,
): Call {
  const { wallet, sandbox, service, incoming } = request
  const key = requestId(request) ?? sandbox.ids.next()
  return authenticatedCall(request, operation, key, () =>
    isUuid(key)
      ? process({ sandbox, signer: wallet.signer(sandbox), service, key, body: incoming.body })
      : walletError(400, 'INVALID_PARAMETER_VALUE', 'PayPal-Request-Id'),
  )
}

const page = (request: WalletRequest, rest: string[]): Call =>
  newCall(request, 'page', null, async () => {
    const { wallet, sandbox, service, incoming } = request
    return (
      (await checkout(sandbox, wallet.signer(sandbox), service, incoming, rest)) ??
      json(404, { message: 'There is no such page' })
    )
  })

/** The script that merchants' pages load, and its request whether the order belongs to its client. */
function script(request: WalletRequest, [area, resource, id = '', ...rest]: string[]): Call | null {
  const { sandbox, service, incoming } = request
  if (incoming.method !== 'GET' || rest.length > 0) return null
  if (area === 'sdk.js')
    return resource === undefined ? newCall(request, 'page', null, () => scriptAnswer(sdk)) : null
  return resource === 'orders'
    ? newCall(request, 'page', null, () => handoff(sandbox, service, id, incoming.query.get('client-id')))
    : null
}

const certificate = (request: WalletRequest): Call =>
  newCall(request, 'account', null, async () => {
    const { certificate } = await request.wallet.signer(request.sandbox)()
    return { status: 200, body: certificate, headers: { 'content-type': 'application/x-pem-file' } }
  })

import { Compile } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import { authenticatedCall, idempotentCall } from '../../core/merchant-call.ts'
import type { FollowUpKind } from '../../core/operation.ts'
import { closeKey, findOperation, processOnce } from '../../core/processing.ts'
import { type Answer, badRequest, type Call, type Incoming, json } from '../../core/provider-messages.ts'
import { isSaleBody, type ProviderRequest } from '../../core/provider-request.ts'
import { reportAnswer, reportListAnswer } from '../../core/settlement-report.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { decidePayment } from './authorization.ts'
import { digitsOfBrowserToken } from './browser-token.ts'
import { CardPayment, CardPayout, FollowUpBody, TokenBody } from './card.schema.ts'
import { findStoredCard, storeCard } from './card-token.ts'
import { cardDigits } from './checks.ts'
import { disputeCall } from './dispute.ts'
import { decideFollowUp } from './follow-up-operation.ts'
import { decidePayout } from './payout.ts'
import { cardReport } from './report.ts'

/** The sandbox's card provider: `/card/{payment_service_id}/…`. */
export const cardProvider: Provider = {
  receive,
  notification: (_sandbox, { payment_id }, { key }) => ({ body: JSON.stringify({ key, payment_id }) }),
  report: cardReport,
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const { method, path } = incoming
  const [, service, resource, id, action, ...rest] = path
  if (!service || !resource || rest.length > 0) return null
  const request = { sandbox, incoming, service }
  switch (`${method} ${resource}${id === undefined ? '' : '/id'}${action === undefined ? '' : '/action'}`) {
    case 'POST payments':
      return paymentCall(request)
    case 'POST payments/id/action':
      return followUpCall(request, id ?? '', action ?? '')
    case 'GET operations/id':
      return authenticatedCall(request, 'find', id ?? '', () => findOperation(sandbox, service, id ?? ''))
    case 'POST operations/id/action':
      return action === 'close'
        ? authenticatedCall(request, 'close', id ?? '', () => closeKey(sandbox, service, id ?? ''))
        : null
    case 'GET account':
      return authenticatedCall(request, 'account', null, () =>
        json(200, { merchant_id: incoming.headers['x-merchant-id'] }),
      )
    case 'POST payouts':
      return payoutCall(request)
    case 'GET reports':
      return authenticatedCall(request, 'report', null, () =>
        reportListAnswer(sandbox, service, incoming, cardReport),
      )
    case 'GET reports/id':
      return id === 'settlement.csv'
        ? authenticatedCall(request, 'report', null, () =>
            reportAnswer(sandbox, service, incoming, cardReport),
          )
        : null
    case 'POST tokens':
      return tokenCall(request)
    case 'POST disputes/id/action':
      return disputeCall(request, id ?? '', action ?? '')
    case 'POST sessions':
      return authenticatedCall(request, 'session', null, () => openSession(request))
    default:
      return null
  }
}

const cardPayment = Compile(CardPayment)

function paymentCall(request: ProviderRequest): Call {
  const { sandbox, incoming, service } = request
  const { body } = incoming
  const call = idempotentCall(request, isSaleBody(body) ? 'sale' : 'authorize', (key) => {
    if (!cardPayment.Check(body)) return badRequest(firstError(cardPayment, body))
    const { card, network_token, token, browser_token, reference_payment_id } = body
    if ([card, network_token, token, browser_token, reference_payment_id].filter(Boolean).length !== 1)
      return badRequest(
        'exactly one of card, network_token, token, browser_token and reference_payment_id is needed',
      )
    if (
      body.network_token &&
      !body.network_token.cryptogram &&
      body.stored_credential?.initiator !== 'merchant'
    )
      return badRequest(
        'network_token.cryptogram is missing: only a payment that the merchant initiates goes without',
      )
    return processOnce(sandbox, { payment_service_id: service, key, path: 'payments', body }, () =>
      decidePayment(sandbox, service, key, body),
    )
  })
  return { ...call, bin: cardPayment.Check(body) ? binOf(request, body) : null }
}

const cardPayout = Compile(CardPayout)

function payoutCall(request: ProviderRequest): Call {
  const { sandbox, incoming, service } = request
  const { body } = incoming
  const call = idempotentCall(request, 'payout', (key) => {
    if (!cardPayout.Check(body)) return badRequest(firstError(cardPayout, body))
    if ([body.card, body.network_token, body.token].filter(Boolean).length !== 1)
      return badRequest('exactly one of card, network_token and token is needed')
    return processOnce(sandbox, { payment_service_id: service, key, path: 'payouts', body }, () =>
      decidePayout(sandbox, service, key, body),
    )
  })
  return { ...call, bin: cardPayout.Check(body) ? binOf(request, body) : null }
}

/** The BIN of the card that pays or receives money: from its number, its token, or an earlier payment. */
function binOf(
  { sandbox, service }: ProviderRequest,
  { card, network_token, token, ...more }: CardPayment | CardPayout,
): string | null {
  const numbered = card ?? network_token
  if (numbered) return cardDigits(numbered.number).bin
  const earlier =
    'reference_payment_id' in more ? sandbox.books.payments.get(more.reference_payment_id ?? '') : undefined
  const browserToken = 'browser_token' in more ? more.browser_token : undefined
  if (browserToken !== undefined) return digitsOfBrowserToken(browserToken)?.bin ?? null
  return (token ? findStoredCard(sandbox, service, token)?.bin : earlier?.card?.bin) ?? null
}

const tokenBody = Compile(TokenBody)

function tokenCall(request: ProviderRequest): Call {
  const { sandbox, incoming, service } = request
  const { body } = incoming
  return idempotentCall(request, 'tokenize', (key) => {
    if (!tokenBody.Check(body)) return badRequest(firstError(tokenBody, body))
    return json(201, { key, token: storeCard(sandbox, service, key, body.card.number) })
  })
}

interface FollowUpRoute {
  kind: FollowUpKind
  needs: readonly (keyof FollowUpBody)[]
}

const followUpBody = Compile(FollowUpBody)

const followUpRoutes = new Map<string, FollowUpRoute>([
  ['captures', { kind: 'capture', needs: ['amount', 'final'] }],
  ['increments', { kind: 'increment', needs: ['amount'] }],
  ['refunds', { kind: 'refund', needs: ['amount'] }],
  ['void', { kind: 'void', needs: [] }],
  ['cancel', { kind: 'cancel', needs: [] }],
])

function followUpCall(request: ProviderRequest, paymentId: string, action: string): Call | null {
  const { sandbox, incoming, service } = request
  const { body } = incoming
  const route = followUpRoutes.get(action)
  if (!route) return null
  const { kind, needs } = route
  const call = idempotentCall(request, kind, (key) => {
    if (!followUpBody.Check(body)) return badRequest(firstError(followUpBody, body))
    const missing = needs.find((name) => body[name] === undefined)
    if (missing) return badRequest(`${missing} is missing`)
    const amount = needs.includes('amount') ? (body.amount ?? null) : null
    const followUp = { service, key, kind, payment_id: paymentId, amount, final: body.final ?? false }
    const path = `payments/${paymentId}/${action}`
    return processOnce(sandbox, { payment_service_id: service, key, path, body }, () =>
      decideFollowUp(sandbox, followUp),
    )
  })
  return { ...call, bin: sandbox.books.payments.get(paymentId)?.card?.bin ?? null }
}

/** A session for a client integration, which repeats the request except card data. */
function openSession({ sandbox, incoming: { body } }: ProviderRequest): Answer {
  const { card: _, ...echo } =
    typeof body === 'object' && body !== null ? { card: null, ...body } : { card: null }
  return json(200, {
    ...echo,
    session_id: `ses_${sandbox.ids.next()}`,
    client_id: `cli_${sandbox.ids.next()}`,
  })
}

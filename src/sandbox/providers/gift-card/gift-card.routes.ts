import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { firstError } from '../../core/first-error.ts'
import type { GiftCardOperationKind } from '../../core/operation.ts'
import { type Answer, badRequest, type Call, type Incoming, json, problem } from '../../core/provider-messages.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { cardOf, cardStateOf } from './card.ts'
import {
  decideActivation,
  decideIssuance,
  decideRedemption,
  decideRefund,
  decideReversal,
  type GiftCardDecision,
  type GiftCardRequest,
} from './decision.ts'
import { ActivationBody, BalanceBody, IssuanceBody, RedemptionBody, RefundBody } from './gift-card.schema.ts'
import { closeGiftCardKey, findGiftCardOperation, processGiftCardOnce, refusalAnswer } from './processing.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The sandbox's gift card provider: `/gift-card/{gift_card_service_id}/…` (semantics §6.2). It notifies nobody: every answer is final. */
export const giftCardProvider: Provider = { receive, notification: () => ({ body: '{}' }) }

const balanceBody = Compile(BalanceBody)
const redemptionBody = Compile(RedemptionBody)
const refundBody = Compile(RefundBody)
const activationBody = Compile(ActivationBody)
const issuanceBody = Compile(IssuanceBody)

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const { method, path } = incoming
  const [, service, resource, id = '', action, ...rest] = path
  if (!service || !resource || rest.length > 0) return null
  const request = { sandbox, incoming, service }
  switch (`${method} ${resource}${id === '' ? '' : '/id'}${action === undefined ? '' : `/${action}`}`) {
    case 'POST balance':
      return authenticatedCall(request, 'balance', null, () => withValidBody(balanceBody, incoming.body, (card) => balance(request, card)))
    case 'POST redemptions':
      return idempotentCall(request, 'redeem', (asked) => validateAndBook(asked, incoming, redemptionBody, (body) => decideRedemption(asked, body)))
    case 'POST redemptions/id/reverse':
      return idempotentCall(request, 'reverse', (asked) => bookOperation(asked, incoming, () => decideReversal(asked, id)))
    case 'POST redemptions/id/refunds':
      return idempotentCall(request, 'refund', (asked) => validateAndBook(asked, incoming, refundBody, (body) => decideRefund(asked, id, body)))
    case 'POST activations':
      return idempotentCall(request, 'activate', (asked) => validateAndBook(asked, incoming, activationBody, (body) => decideActivation(asked, body)))
    case 'POST issuances':
      return idempotentCall(request, 'issue', (asked) => validateAndBook(asked, incoming, issuanceBody, (body) => decideIssuance(asked, body)))
    case 'GET operations/id':
      return authenticatedCall(request, 'find', id, () => findGiftCardOperation(sandbox, service, id))
    case 'POST operations/id/close':
      return authenticatedCall(request, 'close', id, () => closeGiftCardKey(sandbox, service, id))
    default:
      return null
  }
}

interface Request {
  sandbox: Sandbox
  incoming: Incoming
  service: string
}

/** A call that looks at the caller's credentials first: any API key will do. */
function authenticatedCall({ incoming, service }: Request, operation: Call['operation'], key: string | null, process: () => Answer): Call {
  const refused = problem(401, 'invalid_service_credentials', 'the header x-api-key is missing')
  return { payment_service_id: service, operation, key, process: () => (incoming.headers['x-api-key'] ? process() : refused) }
}

/** A call that moves money: it needs a key. */
function idempotentCall(request: Request, operation: GiftCardOperationKind, process: (asked: GiftCardRequest) => Answer): Call {
  const { sandbox, incoming, service } = request
  const header = incoming.headers['idempotency-key']
  const key = typeof header === 'string' && uuid.test(header) ? header : null
  return authenticatedCall(request, operation, key, () =>
    key === null ? badRequest('the header idempotency-key must be a UUID') : process({ sandbox, service, key }),
  )
}

const withValidBody = <T extends TSchema>(validator: Validator<Record<never, never>, T>, body: unknown, go: (body: Static<T>) => Answer): Answer =>
  validator.Check(body) ? go(body) : badRequest(firstError(validator, body))

const validateAndBook = <T extends TSchema>(
  asked: GiftCardRequest,
  incoming: Incoming,
  validator: Validator<Record<never, never>, T>,
  decide: (body: Static<T>) => GiftCardDecision,
): Answer => withValidBody(validator, incoming.body, (body) => bookOperation(asked, incoming, () => decide(body)))

const bookOperation = ({ sandbox, service, key }: GiftCardRequest, { path, body }: Incoming, decide: () => GiftCardDecision): Answer =>
  processGiftCardOnce(sandbox, { payment_service_id: service, key, path: path.slice(2).join('/'), body }, decide)

function balance({ sandbox, service }: Request, { number, pin }: Static<typeof BalanceBody>): Answer {
  const card = cardOf(sandbox, service, number, pin)
  return 'error' in card ? refusalAnswer(card.error) : json(200, { card: cardStateOf(card) })
}

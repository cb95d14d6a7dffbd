import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { GiftCardOperationKind } from '../operation.ts'
import { type Answer, badRequest, type Call, type Incoming, json, type Provider, problem } from '../provider.ts'
import type { Sandbox } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { cardOf, stateOf } from './card.ts'
import { type Asked, decideActivation, decideIssuance, decideRedemption, decideRefund, decideReversal, type GiftCardDecision } from './decision.ts'
import { ActivationBody, BalanceBody, IssuanceBody, RedemptionBody, RefundBody } from './gift-card.schema.ts'
import { closeGiftCardKey, findGiftCardOperation, processGiftCardOnce, refusalAnswer } from './processing.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The sandbox's gift card provider: `/gift-card/{gift_card_service_id}/…` (SEMANTICS §6.2). It notifies nobody: every answer is final. */
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
      return trusted(request, 'balance', null, () => shaped(balanceBody, incoming.body, (card) => balance(request, card)))
    case 'POST redemptions':
      return keyed(request, 'redeem', (asked) => once(asked, incoming, redemptionBody, (body) => decideRedemption(asked, body)))
    case 'POST redemptions/id/reverse':
      return keyed(request, 'reverse', (asked) => book(asked, incoming, () => decideReversal(asked, id)))
    case 'POST redemptions/id/refunds':
      return keyed(request, 'refund', (asked) => once(asked, incoming, refundBody, (body) => decideRefund(asked, id, body)))
    case 'POST activations':
      return keyed(request, 'activate', (asked) => once(asked, incoming, activationBody, (body) => decideActivation(asked, body)))
    case 'POST issuances':
      return keyed(request, 'issue', (asked) => once(asked, incoming, issuanceBody, (body) => decideIssuance(asked, body)))
    case 'GET operations/id':
      return trusted(request, 'find', id, () => findGiftCardOperation(sandbox, service, id))
    case 'POST operations/id/close':
      return trusted(request, 'close', id, () => closeGiftCardKey(sandbox, service, id))
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
function trusted({ incoming, service }: Request, operation: Call['operation'], key: string | null, process: () => Answer): Call {
  const refused = problem(401, 'invalid_service_credentials', 'the header x-api-key is missing')
  return { payment_service_id: service, operation, key, process: () => (incoming.headers['x-api-key'] ? process() : refused) }
}

/** A call that moves money: it needs a key. */
function keyed(request: Request, operation: GiftCardOperationKind, process: (asked: Asked) => Answer): Call {
  const { sandbox, incoming, service } = request
  const header = incoming.headers['idempotency-key']
  const key = typeof header === 'string' && uuid.test(header) ? header : null
  return trusted(request, operation, key, () =>
    key === null ? badRequest('the header idempotency-key must be a UUID') : process({ sandbox, service, key }),
  )
}

const shaped = <T extends TSchema>(validator: Validator<Record<never, never>, T>, body: unknown, go: (body: Static<T>) => Answer): Answer =>
  validator.Check(body) ? go(body) : badRequest(firstError(validator, body))

const once = <T extends TSchema>(
  asked: Asked,
  incoming: Incoming,
  validator: Validator<Record<never, never>, T>,
  decide: (body: Static<T>) => GiftCardDecision,
): Answer => shaped(validator, incoming.body, (body) => book(asked, incoming, () => decide(body)))

const book = ({ sandbox, service, key }: Asked, { path, body }: Incoming, decide: () => GiftCardDecision): Answer =>
  processGiftCardOnce(sandbox, { payment_service_id: service, key, path: path.slice(2).join('/'), body }, decide)

function balance({ sandbox, service }: Request, { number, pin }: Static<typeof BalanceBody>): Answer {
  const card = cardOf(sandbox, service, number, pin)
  return 'error' in card ? refusalAnswer(card.error) : json(200, { card: stateOf(card) })
}

import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import type { GiftCardOperationKind } from '../../core/operation.ts'
import { type Answer, badRequest, type Call, type Incoming, json } from '../../core/provider-messages.ts'
import { apiKeyCalls, type ProviderRequest } from '../../core/provider-request.ts'
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

/**
 * The sandbox's gift card provider: `/gift-card/{gift_card_service_id}/…` (semantics §6.2). It sends no
 * notifications: every answer is final.
 */
export const giftCardProvider: Provider = { receive }

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
      return authenticatedCall(request, 'balance', null, () =>
        withValidBody(balanceBody, incoming.body, (card) => balance(request, card)),
      )
    case 'POST redemptions':
      return moneyCall(request, 'redeem', (request) =>
        validateAndBook(request, incoming, redemptionBody, (body) => decideRedemption(request, body)),
      )
    case 'POST redemptions/id/reverse':
      return moneyCall(request, 'reverse', (request) =>
        bookOperation(request, incoming, () => decideReversal(request, id)),
      )
    case 'POST redemptions/id/refunds':
      return moneyCall(request, 'refund', (request) =>
        validateAndBook(request, incoming, refundBody, (body) => decideRefund(request, id, body)),
      )
    case 'POST activations':
      return moneyCall(request, 'activate', (request) =>
        validateAndBook(request, incoming, activationBody, (body) => decideActivation(request, body)),
      )
    case 'POST issuances':
      return moneyCall(request, 'issue', (request) =>
        validateAndBook(request, incoming, issuanceBody, (body) => decideIssuance(request, body)),
      )
    case 'GET operations/id':
      return authenticatedCall(request, 'find', id, () => findGiftCardOperation(sandbox, service, id))
    case 'POST operations/id/close':
      return authenticatedCall(request, 'close', id, () => closeGiftCardKey(sandbox, service, id))
    default:
      return null
  }
}

const { authenticatedCall } = apiKeyCalls

/** A call that moves money. */
function moneyCall(
  request: ProviderRequest,
  operation: GiftCardOperationKind,
  process: (request: GiftCardRequest) => Answer,
): Call {
  const { sandbox, service } = request
  return apiKeyCalls.idempotentCall(request, operation, (key) => process({ sandbox, service, key }))
}

const withValidBody = <T extends TSchema>(
  validator: Validator<T>,
  body: unknown,
  go: (body: Static<T>) => Answer,
): Answer => (validator.Check(body) ? go(body) : badRequest(firstError(validator, body)))

const validateAndBook = <T extends TSchema>(
  request: GiftCardRequest,
  incoming: Incoming,
  validator: Validator<T>,
  decide: (body: Static<T>) => GiftCardDecision,
): Answer =>
  withValidBody(validator, incoming.body, (body) => bookOperation(request, incoming, () => decide(body)))

const bookOperation = (
  { sandbox, service, key }: GiftCardRequest,
  { path, body }: Incoming,
  decide: () => GiftCardDecision,
): Answer =>
  processGiftCardOnce(
    sandbox,
    { payment_service_id: service, key, path: path.slice(2).join('/'), body },
    decide,
  )

function balance({ sandbox, service }: ProviderRequest, { number, pin }: Static<typeof BalanceBody>): Answer {
  const card = cardOf(sandbox, service, number, pin)
  return 'error' in card ? refusalAnswer(card.error) : json(200, { card: cardStateOf(card) })
}

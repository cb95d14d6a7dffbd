import { Type } from 'typebox'
import type { TokenizeAnswer, TokenizeCall } from '../contract/connector.ts'
import { Compile } from '../wire/compile.ts'
import { takesCardNumbers } from '../wire/definition-fields.ts'
import type { AdyenOptions } from './environment.ts'
import { toServiceToken } from './facts.ts'
import { cardMethod } from './instrument.ts'
import { merchantAccountOf, refusalIn, send } from './wire.ts'

const stored = Compile(Type.Object({ id: Type.String({ minLength: 1 }) }))

/**
 * Stores a card without a payment, for a shopper of its own. It sends the card's number, which the merchant's
 * account must allow.
 */
export async function tokenize(options: AdyenOptions, call: TokenizeCall): Promise<TokenizeAnswer> {
  if (!takesCardNumbers(call.service.fields)) return { status: 'refused' }
  const { type, number, expiryMonth, expiryYear } = cardMethod(call.card, null)
  const read = refusalIn(
    await send(options, call, {
      api: 'checkout',
      path: '/storedPaymentMethods',
      body: {
        merchantAccount: merchantAccountOf(call),
        shopperReference: call.id,
        recurringProcessingModel: 'CardOnFile',
        paymentMethod: { type, number, expiryMonth, expiryYear },
      },
      idempotencyKey: call.id,
    }),
  )
  if ('answer' in read)
    return stored.Check(read.answer.body)
      ? { status: 'succeeded', token: toServiceToken(call.id, read.answer.body.id) }
      : { status: 'unknown', reason: 'the answer cannot be read' }
  const { refusal } = read
  const isOpen = refusal.status === 'unknown' || (refusal.status === 'failed' && refusal.unprocessed === true)
  if (!isOpen) return { status: 'refused' }
  return { status: 'unknown', reason: refusal.status === 'unknown' ? refusal.reason : 'it was not processed' }
}

import { Type } from 'typebox'
import type { GiftCardCall, GiftCardOutcome } from '../../contract/gift-card-connector.ts'
import { unknownOutcome } from '../../contract/outcome.ts'
import { Compile } from '../../wire/compile.ts'
import type { AdyenOptions } from '../environment.ts'
import { toMoney } from '../money.ts'
import { readAnswer, unsendable } from './refusals.ts'
import { sendGiftCard } from './wire.ts'

const accepted = Compile(
  Type.Object({
    status: Type.Literal('received'),
    pspReference: Type.String({ minLength: 1 }),
    paymentPspReference: Type.String(),
    reference: Type.Optional(Type.String()),
  }),
)

type PutBackCall = GiftCardCall<'reverse'> | GiftCardCall<'refund'>

/** Both are accepted first; their outcome comes as a webhook with our reference. */
async function modify(
  options: AdyenOptions,
  call: PutBackCall,
  action: 'reversals' | 'refunds',
  body: Readonly<Record<string, unknown>>,
): Promise<GiftCardOutcome> {
  const { id, redemption } = call.operation
  const path = `/payments/${encodeURIComponent(redemption)}/${action}`
  const read = readAnswer(await sendGiftCard(options, call, 'checkout', path, { ...body, reference: id }, id))
  if ('refusal' in read) return read.refusal
  const answer = read.answer.body
  return accepted.Check(answer) &&
    answer.paymentPspReference === redemption &&
    (answer.reference ?? id) === id
    ? { status: 'pending', reference: answer.pspReference }
    : unknownOutcome('the answer belongs to another request')
}

function refundAmount(options: AdyenOptions, call: PutBackCall): Promise<GiftCardOutcome> {
  const { amount, currency } = call.operation
  const money = toMoney(amount, currency)
  return money
    ? modify(options, call, 'refunds', { amount: money })
    : Promise.resolve(unsendable('invalid_amount', 'the provider has no such small unit'))
}

/** Puts part of a redemption back on its card. */
export const refund = (options: AdyenOptions, call: GiftCardCall<'refund'>): Promise<GiftCardOutcome> =>
  refundAmount(options, call)

/**
 * Undoes a redemption. The provider's reversal is of the whole payment, whether it is captured or not; what is left
 * after a refund is refunded.
 */
export const reverse = (options: AdyenOptions, call: GiftCardCall<'reverse'>): Promise<GiftCardOutcome> =>
  call.operation.amount === call.operation.redeemed
    ? modify(options, call, 'reversals', {})
    : refundAmount(options, call)

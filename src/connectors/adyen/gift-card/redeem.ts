import { type Static, Type } from 'typebox'
import type { GiftCardApproved, GiftCardCall, GiftCardOutcome } from '../../contract/gift-card-connector.ts'
import { unknownOutcome } from '../../contract/outcome.ts'
import { Compile } from '../../wire/compile.ts'
import type { AdyenOptions } from '../environment.ts'
import { fromMoney, toMoney } from '../money.ts'
import { meaningOf } from '../payment-answer.ts'
import { giftCardCode, readAnswer, refused, unsendable } from './refusals.ts'
import { brandOf, sendGiftCard } from './wire.ts'

/**
 * Every payment request names a page to return to. A gift card has no page of its own, so that no buyer is sent
 * there (RFC 6761 reserves the name).
 */
const NO_PAGE = 'https://gift-card.invalid/'

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Payment = Type.Object({
  resultCode: Type.String(),
  pspReference: text,
  merchantReference: text,
  refusalReason: text,
  refusalReasonCode: text,
  amount: Type.Optional(Type.Object({ value: Type.Integer(), currency: Type.String() })),
})
type Payment = Static<typeof Payment>
const payment = Compile(Payment)

export const approvedGiftCard = (amount: number, reference: string): GiftCardApproved => ({
  status: 'approved',
  amount,
  reference,
  card: null,
  url: null,
})

/** Takes the amount off the card: a payment that is captured at once. */
export async function redeem(options: AdyenOptions, call: GiftCardCall<'redeem'>): Promise<GiftCardOutcome> {
  const { id, card, amount, currency } = call.operation
  const money = toMoney(amount, currency)
  if (!money) return unsendable('invalid_amount', 'the provider has no such small unit')
  const body = {
    amount: money,
    reference: id,
    returnUrl: NO_PAGE,
    paymentMethod: {
      type: 'giftcard',
      brand: brandOf(call),
      number: card.number,
      ...(card.pin !== null && { cvc: card.pin }),
    },
    captureDelayHours: 0,
  }
  const read = readAnswer(await sendGiftCard(options, call, 'checkout', '/payments', body, id))
  if ('refusal' in read) return read.refusal
  const answer = read.answer.body
  return payment.Check(answer) && (answer.merchantReference || id) === id
    ? outcomeOf(call, answer)
    : unknownOutcome('the answer belongs to another request')
}

function outcomeOf(
  { operation: { amount: asked, currency } }: GiftCardCall<'redeem'>,
  { resultCode, pspReference, amount: stated, refusalReason, refusalReasonCode }: Payment,
): GiftCardOutcome {
  const rawMessage = refusalReason ?? null
  switch (meaningOf(resultCode)) {
    case 'approved': {
      // a part is no redemption of ours: the core asks for whole amounts
      const amount = stated ? fromMoney(stated, currency) : asked
      const isWhole = amount === asked && resultCode === 'Authorised'
      return pspReference && isWhole
        ? approvedGiftCard(amount, pspReference)
        : unknownOutcome('an approval without its id, or of another amount')
    }
    case 'pending':
      return { status: 'pending', reference: pspReference ?? null }
    case 'refused':
      return refused({
        code: giftCardCode(refusalReasonCode ?? null, rawMessage),
        rawCode: refusalReasonCode ?? resultCode,
        rawMessage,
      })
    case 'canceled':
      return refused({ code: 'operation_canceled', rawCode: resultCode, rawMessage })
    default:
      // `Error`: the payment may have reached the issuer of the card
      return unknownOutcome(`the result is ${resultCode}`)
  }
}

import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type {
  GiftCardBalance,
  GiftCardCall,
  GiftCardForCall,
  GiftCardOutcome,
  GiftCardServiceCall,
  GiftCardState,
} from '../../contract/gift-card-connector.ts'
import { unknownOutcome } from '../../contract/outcome.ts'
import { Compile } from '../../wire/compile.ts'
import type { Answered } from '../../wire/provider-answer.ts'
import type { AdyenOptions } from '../environment.ts'
import { fromMoney, toMoney } from '../money.ts'
import { isKeyRemembered } from '../wire.ts'
import { giftCardCode, readAnswer, refused, unsendable } from './refusals.ts'
import { sendGiftCard, storedValueCard } from './wire.ts'

// The Stored Value API manages cards and answers at once; payments with them are the Checkout API's.

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Result = Type.Object({
  resultCode: Type.Union([
    Type.Literal('Success'),
    Type.Literal('NotEnoughBalance'),
    Type.Literal('Refused'),
    Type.Literal('Error'),
  ]),
  pspReference: text,
  currentBalance: Type.Optional(Type.Object({ value: Type.Integer(), currency: Type.String() })),
  refusalReason: text,
  thirdPartyRefusalReason: text,
})
type Result = Static<typeof Result>
const result = Compile(Result)

const readResult = ({ body }: Answered): Result | undefined => (result.Check(body) ? body : undefined)

/** Undefined: the provider did not state it, or not in an amount of its currency. */
function stateOf({ currentBalance: money }: Result): GiftCardState | undefined {
  const balance = money && fromMoney(money, money.currency)
  return money && balance !== undefined
    ? { balance, currency: money.currency, expirationDate: null }
    : undefined
}

function refusalOf({ resultCode, refusalReason, thirdPartyRefusalReason: other }: Result) {
  const reason = refusalReason ?? other ?? null
  return {
    code: resultCode === 'NotEnoughBalance' ? ('insufficient_funds' as const) : giftCardCode(null, reason),
    rawCode: resultCode,
    rawMessage: refusalReason && other ? `${refusalReason} | ${other}` : reason,
  }
}

export async function balance(
  options: AdyenOptions,
  call: GiftCardServiceCall,
  card: GiftCardForCall,
): Promise<GiftCardBalance> {
  const body = { reference: randomUUID(), paymentMethod: storedValueCard(call, card) }
  const read = readAnswer(await sendGiftCard(options, call, 'stored-value', '/checkBalance', body))
  if ('refusal' in read) {
    const { refusal } = read
    return refusal.status === 'declined' || refusal.status === 'failed'
      ? { status: 'refused', code: refusal.code, rawCode: refusal.rawCode, rawMessage: refusal.rawMessage }
      : { status: 'lost', reason: refusal.status === 'unknown' ? refusal.reason : 'no balance' }
  }
  const answer = readResult(read.answer)
  const state = answer && stateOf(answer)
  if (!answer || answer.resultCode === 'Error')
    return { status: 'lost', reason: 'the balance cannot be read' }
  if (answer.resultCode === 'Refused') return { status: 'refused', ...refusalOf(answer) }
  return state ? { status: 'known', ...state } : { status: 'lost', reason: 'an answer without a balance' }
}

/** Makes a card usable, with an amount that it gets or with the value that it was sold for. */
export async function activate(
  options: AdyenOptions,
  call: GiftCardCall<'activate'>,
): Promise<GiftCardOutcome> {
  const { id, card, amount: asked, currency } = call.operation
  const money = asked === null || currency === null ? null : toMoney(asked, currency)
  if (money === undefined) return unsendable('invalid_amount', 'the provider has no such small unit')
  // a repetition after that time would be a second activation
  if (!isKeyRemembered(options, call)) return unknownOutcome('the provider has forgotten the first request')
  const body = {
    reference: id,
    status: 'active',
    paymentMethod: storedValueCard(call, card),
    ...(money && { amount: money }),
  }
  const read = readAnswer(await sendGiftCard(options, call, 'stored-value', '/changeStatus', body, id))
  if ('refusal' in read) return read.refusal
  const answer = readResult(read.answer)
  if (answer?.resultCode === 'Refused' || answer?.resultCode === 'NotEnoughBalance')
    return refused(refusalOf(answer))
  if (answer?.resultCode !== 'Success') return unknownOutcome('the answer has no result')
  const state = stateOf(answer)
  return {
    status: 'approved',
    amount: state?.balance ?? asked ?? 0,
    reference: answer.pspReference ?? id,
    card: state ?? null,
    url: null,
  }
}

import {
  declinedAmounts,
  failedAmounts,
  followUpAmounts,
  partialApprovalAmount,
  pendingAmounts,
} from '../../src/sandbox/core/amounts.ts'
import type { OperationKind } from '../../src/sandbox/core/operation.ts'
import { card } from '../support/railyard.ts'
import { answerSummary, type Known, recordAnswer, type Story, sendRequest } from './story.ts'

/** Larger than every amount with a simulated outcome, so that these can be captured and refunded in part. */
const LARGE = 1_300_000

const special = (kind: OperationKind): number[] =>
  [...followUpAmounts, ...pendingAmounts].flatMap(([of, amount]) => (of === kind ? [amount] : []))

function newAmount({ chance }: Story): number {
  if (chance.odds(0.06)) return chance.pick(declinedAmounts)[0]
  if (chance.odds(0.06)) return chance.pick(failedAmounts)[0]
  if (chance.odds(0.06)) return 540_001
  if (chance.odds(0.05)) return partialApprovalAmount
  if (chance.odds(0.06)) return chance.pick(special('void'))
  return chance.odds(0.4) ? LARGE + chance.between(0, 9_999) : chance.between(10_00, 999_99)
}

const cards = ['4111111111111111', '4242424242424242'] as const

export const giftCardNumber = (chance: Story['chance']): string =>
  `6006491${chance.between(100_000_000, 999_999_999)}`

/** Gift cards by their PINs: full ones, and one with too small a balance. */
function giftCards({ chance, coverage }: Story) {
  coverage.hit('request: gift cards')
  return Array.from({ length: chance.between(1, 2) }, () => ({
    number: giftCardNumber(chance),
    pin: chance.odds(0.75) ? '030000' : '01',
    amount: chance.between(1_00, 20_00),
  }))
}

const sum = (items: readonly { amount: number }[]) => items.reduce((total, { amount }) => total + amount, 0)

function remember(
  timeline: Story,
  name: string,
  body: { id: string; amount: number; payment_method?: { approval_url?: string | null } },
): Known {
  const known: Known = {
    name,
    id: body.id,
    amount: body.amount,
    page: body.payment_method?.approval_url ?? null,
  }
  timeline.payments.push(known)
  return known
}

/** What is not left to chance of a payment. */
interface AskedPayment {
  isWallet?: boolean
  amount?: number
  giftCards?: { number: string; pin: string; amount: number }[]
  /** Its capture is queued, and sent by recovery. */
  isQueued?: boolean
}

/** Creates a payment by card or wallet, with or without gift cards. Returns the line of the trace. */
export async function pay(timeline: Story, asked: AskedPayment = {}): Promise<string> {
  const { chance, coverage } = timeline
  const isWallet = asked.isWallet ?? (!asked.isQueued && chance.odds(0.2))
  const intent = asked.isQueued || chance.odds(0.4) ? 'capture' : 'authorize'
  const given =
    asked.giftCards ??
    (asked.amount === undefined && !asked.isQueued && chance.odds(0.2) ? giftCards(timeline) : [])
  coverage.hit(isWallet ? 'request: approval' : `request: ${intent === 'capture' ? 'sale' : 'authorize'}`)
  const method = isWallet
    ? { method: 'wallet', country: 'DE', currency: 'EUR', redirect_url: 'https://shop.example/done' }
    : { ...card, number: chance.pick(cards) }
  const amount = asked.amount ?? newAmount(timeline) + sum(given)
  const answer = await sendRequest(
    timeline,
    '/transactions',
    {
      amount,
      currency: 'EUR',
      country: 'DE',
      intent,
      payment_method: method,
      external_identifier: timeline.next(),
      ...(given.length > 0 && { gift_cards: given }),
      ...(chance.odds(0.3) && given.length === 0 && { allow_partial_authorization: true }),
      ...(intent === 'capture' &&
        !isWallet &&
        (asked.isQueued || chance.odds(0.4)) && { async_capture: true }),
    },
    { keyed: chance.odds(0.6) },
  )
  const name = `p${timeline.payments.length + 1}`
  if (answer.status === 201) remember(timeline, name, answer.body)
  return `${name} ${isWallet ? 'wallet' : 'card'} ${intent} ${amount} with ${given.length} gift cards: ${answerSummary(answer)}`
}

/** The payment service's notification of an operation. Returns the part of its answer for the trace. */
export async function notify(url: string, operation: string): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: operation }),
  })
  return answerSummary({
    status: answer.status,
    headers: answer.headers,
    body: JSON.parse(await answer.text()),
  })
}

/** Beyond the deadline of every request, so that recovery may act. */
export const OVERDUE_MS = 120_000

/** Recovery looks at all operations that are due. */
export const recover = async ({ stage }: Story): Promise<string> =>
  `recovery looks at ${await stage.recover()} operations`

/** Finds payments whose creation was not answered in the merchant's list. */
export async function lookAround(timeline: Story): Promise<void> {
  const { body } = await timeline.merchant.get('/transactions?limit=100')
  const known = new Set(timeline.payments.map(({ id }) => id))
  for (const item of body.items.toReversed())
    if (!known.has(item.id)) remember(timeline, `p${timeline.payments.length + 1}`, item)
}

const part = ({ chance }: Story, kind: 'capture' | 'refund', { amount }: Known): number =>
  amount >= LARGE && chance.odds(0.4)
    ? chance.pick(special(kind))
    : chance.between(1, Math.ceil(amount * 0.7))

interface FollowUp {
  name: string
  path: (payment: Known) => string
  body: (timeline: Story, payment: Known) => object | undefined
}

const followUps: readonly FollowUp[] = [
  {
    name: 'capture',
    path: ({ id }) => `/transactions/${id}/capture`,
    body: (timeline, payment) => ({
      ...(timeline.chance.odds(0.7) && { amount: part(timeline, 'capture', payment) }),
      final: timeline.chance.odds(0.4),
      ...(timeline.chance.odds(0.3) && { reauthorize_if_authorization_expired: true }),
    }),
  },
  { name: 'void', path: ({ id }) => `/transactions/${id}/void`, body: () => undefined },
  {
    name: 'increment',
    path: ({ id }) => `/transactions/${id}/authorization/increment`,
    body: (timeline) => ({
      amount: timeline.chance.odds(0.3)
        ? timeline.chance.pick(special('increment'))
        : timeline.chance.between(1_00, 50_00),
    }),
  },
  {
    name: 'refund',
    path: ({ id }) => `/transactions/${id}/refunds`,
    body: (timeline, payment) => ({ amount: part(timeline, 'refund', payment) }),
  },
  {
    name: 'forced-refund',
    path: ({ id }) => `/transactions/${id}/refunds`,
    body: (timeline, payment) => ({
      amount: part(timeline, 'refund', payment),
      force: true,
      reason: 'goodwill',
    }),
  },
  {
    name: 'renewal',
    path: ({ id }) => `/transactions/${id}/capture`,
    body: (timeline, payment) => ({
      ...(timeline.chance.odds(0.5) && { amount: part(timeline, 'capture', payment) }),
      final: timeline.chance.odds(0.4),
      reauthorize_if_authorization_expired: true,
    }),
  },
  { name: 'refund-all', path: ({ id }) => `/transactions/${id}/refunds/all`, body: () => ({}) },
  { name: 'cancel', path: ({ id }) => `/transactions/${id}/cancel`, body: () => undefined },
  { name: 'sync', path: ({ id }) => `/transactions/${id}/sync`, body: () => undefined },
]

/**
 * The follow-ups that fit a payment's status, chosen as often as all others together: most others are
 * refused.
 */
const invited: Readonly<Record<string, readonly string[]>> = {
  authorization_succeeded: ['capture', 'capture', 'void', 'increment'],
  capture_succeeded: ['refund', 'refund', 'refund-all', 'forced-refund', 'capture'],
  capture_pending: ['sync', 'refund'],
  processing: ['cancel', 'sync'],
  buyer_approval_pending: ['cancel', 'sync'],
}

/** Sends a follow-up for an earlier payment. */
export async function followUp(timeline: Story, never: ReadonlySet<string> = new Set()): Promise<string> {
  const { chance, merchant } = timeline
  const payment = chance.pick(timeline.payments)
  const shown = await merchant.get(`/transactions/${payment.id}`)
  recordAnswer(timeline, shown)
  const possible = followUps.filter(({ name }) => !never.has(name))
  const inviting = possible.filter(({ name }) => invited[shown.body.status]?.includes(name))
  return send(timeline, payment, chance.pick(inviting.length > 0 && chance.odds(0.75) ? inviting : possible))
}

/** Sends this follow-up for this payment. */
export function followUpOf(timeline: Story, payment: Known, name: string): Promise<string> {
  const found = followUps.find((each) => each.name === name)
  if (!found) throw new Error(`there is no request ${name}`)
  return send(timeline, payment, found)
}

async function send(timeline: Story, payment: Known, { name, path, body }: FollowUp): Promise<string> {
  const { chance, coverage } = timeline
  coverage.hit(`request: ${name}`)
  const keyed = chance.odds(0.4) && name !== 'sync' && name !== 'cancel'
  const answer = await sendRequest(timeline, path(payment), body(timeline, payment), { keyed })
  return `${name} of ${payment.name}: ${answerSummary(answer)}`
}

export async function payOut(timeline: Story): Promise<string> {
  const { chance, coverage, merchant } = timeline
  coverage.hit('request: payout')
  const { security_code: _, ...withoutCode } = card
  const amount = chance.odds(0.3) ? chance.pick(special('payout')) : chance.between(1_00, 900_00)
  const body = {
    amount,
    currency: 'EUR',
    payment_service_id: chance.pick([merchant.card, merchant.second]),
    payment_method: withoutCode,
    buyer: {},
  }
  return `payout of ${amount}: ${answerSummary(await sendRequest(timeline, '/payouts', body, { keyed: chance.odds(0.5) }))}`
}

/** A buyer's decision at the wallet's page. Not every buyer returns. */
export async function decide(timeline: Story): Promise<string> {
  const { chance, payments } = timeline
  const waiting = payments.filter(({ page }) => page !== null)
  if (waiting.length === 0) return 'no buyer is awaited'
  return decideOn(
    chance.pick(waiting),
    chance.pick(['approve', 'approve', 'approve', 'decline', 'cancel']),
    chance.odds(0.7),
  )
}

/** `returns`: the buyer's browser returns to the merchant. */
export async function decideOn(payment: Known, decision: string, returns: boolean): Promise<string> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  payment.page &&= await go(payment.page)
  return `the buyer of ${payment.name} means to ${decision} and ${payment.page === null ? 'does' : 'meets an error page'}`

  async function go(page: string): Promise<string | null> {
    try {
      const answer = await fetch(`${page}/${decision}`, { method: 'POST', headers, body: '{}' })
      const { redirect_to: back }: { redirect_to?: string } = JSON.parse(await answer.text())
      if (back && returns) await (await fetch(back, { redirect: 'manual' })).text()
      return null
    } catch {
      return page
    }
  }
}

/** Repeats a request under its key, which must get the same answer. */
export async function repeat(timeline: Story): Promise<string> {
  const { chance, coverage, keyed, merchant } = timeline
  if (keyed.length === 0) return 'nothing can be repeated'
  coverage.hit('request: repeat')
  const { path, body, key, status, text } = chance.pick(keyed)
  const again = await merchant.post(path, body, { 'idempotency-key': key })
  const isSame = again.status === status && JSON.stringify(again.body) === text
  // a refusal before any effect is decided anew
  if (!isSame && status < 300)
    throw new Error(
      `${path} with key ${key} was answered ${status} ${text}, and then ${answerSummary(again)}`,
    )
  return `a request of before again: ${isSame ? 'the same' : answerSummary(again)}`
}

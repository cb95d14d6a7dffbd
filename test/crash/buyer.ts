import { request } from 'undici'
import { answerChallenge, isChallenge } from './cardholder.ts'
import type { Chance } from './chance.ts'
import type { Sent } from './client.ts'

/** What buyers do at the payment service's page; most approve. */
const decisions = ['approve', 'approve', 'approve', 'approve', 'decline', 'cancel'] as const

/**
 * The buyer of a payment that waits for one: decides at the payment service's page, or at the card issuer's, and goes back to us, unless they close the browser there.
 * Neither of the two need be up: a buyer who meets an error page leaves, and what they approved is found out without them.
 */
export async function buy(chance: Chance, { answer }: Sent): Promise<void> {
  const page: unknown = answer?.body?.payment_method?.approval_url
  if (typeof page !== 'string') return
  try {
    if (isChallenge(page)) return await answerChallenge(chance, page)
    const decision = chance.pick(decisions)
    const returns = chance.odds(0.7)
    const decided = await request(`${page}/${decision}`, { method: 'POST', headers: { accept: 'application/json' } })
    const { redirect_to } = (await decided.body.json()) as { redirect_to?: string }
    if (returns && redirect_to) await (await request(redirect_to)).body.dump()
  } catch {
    // left
  }
}

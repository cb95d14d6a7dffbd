import { request } from 'undici'
import { answerChallenge, isChallenge } from './cardholder.ts'
import type { Chance } from './chance.ts'
import type { Sent } from './client.ts'

/** The decisions of buyers at the payment service's page; most approve. */
const decisions = ['approve', 'approve', 'approve', 'approve', 'decline', 'cancel'] as const

/**
 * Lets the buyer of a waiting payment decide at the payment service's or the issuer's page and return, unless
 * they close the browser there. A buyer who gets an error page leaves, and recovery finds what they approved.
 */
export async function buy(chance: Chance, { answer }: Sent): Promise<void> {
  const page: unknown = answer?.body?.payment_method?.approval_url
  if (typeof page !== 'string') return
  try {
    if (isChallenge(page)) return await answerChallenge(chance, page)
    const decision = chance.pick(decisions)
    const returns = chance.odds(0.7)
    const decided = await request(`${page}/${decision}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
    })
    const { redirect_to } = (await decided.body.json()) as { redirect_to?: string }
    if (returns && redirect_to) await (await request(redirect_to)).body.dump()
  } catch {
    // the buyer left
  }
}

import { request } from 'undici'
import { signedReview } from '../../src/sandbox/providers/anti-fraud/review.ts'
import type { Chance } from './chance.ts'
import type { Sent } from './client.ts'

/** People of the anti-fraud service who look at the payments that it holds; most have decided before the cardholder has. */
export interface Reviewer {
  /** Payments whose decision we have answered with 200: they are theirs to forget. */
  heard: Set<string>
  look(chance: Chance, sent: Sent): Promise<void>
}

export function reviewerAt(webhookUrl: string): Reviewer {
  const heard = new Set<string>()
  return {
    heard,
    async look(chance, { answer }) {
      const { id, pending_review: isHeld } = answer?.body ?? {}
      if (isHeld !== true || chance.odds(0.15)) return
      // one who is told nothing says it again, and may be of another mind
      for (let tries = 0; tries < 3 && !heard.has(id); tries++) {
        const decision = chance.odds(0.6) ? 'ACCEPT' : 'REJECT'
        if (await tell(webhookUrl, { transaction_id: id, decision })) heard.add(id)
      }
    },
  }
}

/** Of `mockAntiFraudService`. */
const API_KEY = 'any'

async function tell(url: string, body: object): Promise<boolean> {
  try {
    const { headers, text } = signedReview(API_KEY, body)
    const answer = await request(url, { method: 'POST', headers, body: text })
    await answer.body.dump()
    return answer.statusCode === 200
  } catch {
    return false
  }
}

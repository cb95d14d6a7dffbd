import { request } from 'undici'
import { signedReview } from '../../src/sandbox/providers/anti-fraud/review.ts'
import type { Chance } from './chance.ts'
import type { Sent } from './client.ts'

/** Reviewers of the anti-fraud service; most decide before the cardholder does. */
export interface Reviewer {
  /** Payments whose decision we have acknowledged with 200. */
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
      // a reviewer without an answer sends a decision again, perhaps another one
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

import type { PaymentServiceHealth } from '@railyard/client'
import type { Tone } from '../../parts/values/tag.tsx'
import { serviceHealthWords as words } from '../../words/connections/service-health.ts'

/** How well a payment service answers, in a word, and what that means for payments. */
export function describeHealth(health: PaymentServiceHealth | undefined): {
  text: string
  tone: Tone
  meaning?: string
} {
  switch (health?.state) {
    case 'open':
      return { text: words.open, tone: 'bad', meaning: words.openText }
    case 'half_open':
      return { text: words.half_open, tone: 'warn', meaning: words.halfOpenText }
    case 'closed':
      return health.window.calls === 0
        ? { text: words.idle, tone: 'quiet', meaning: words.closedText }
        : { text: words.closed, tone: 'good', meaning: words.closedText }
    default:
      return { text: words.unknown, tone: 'quiet' }
  }
}

export const milliseconds = (count: number | null | undefined): string | undefined =>
  typeof count === 'number' ? words.milliseconds(count) : undefined

import { expect, onTestFinished, test, vi } from 'vitest'
import { answerDeadline } from '../../../src/connectors/wire/answer-deadline.ts'
import { sharedTimeLimit } from '../../../src/connectors/wire/shared-time-limit.ts'
import { bench, visa } from './support.ts'

const providerTimeout = 15_000

test('the requests of a Stripe payment end before its deadline, however slow they are', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { connector, call, http } = bench()
  let elapsed = 0
  const pass = (ms: number) => {
    elapsed += ms
    vi.advanceTimersByTime(ms)
  }
  const slow = sharedTimeLimit(
    {
      async request(request, limitMs = providerTimeout) {
        // the intent is opened at the last moment, and its confirmation has no answer
        const isOpening = request.url.endsWith('/payment_intents')
        pass(isOpening ? 14_000 : limitMs)
        const answer = await http(request)
        return isOpening ? answer : { lost: true, sent: true, reason: 'no answer in time' }
      },
    },
    providerTimeout,
  )
  const sale = call({ kind: 'sale' }, visa, { http: slow.request })
  expect(await connector.operations.sale?.(sale)).toEqual({ status: 'unknown', reason: 'no answer in time' })
  const deadline = answerDeadline({ clock: { now: () => 0 }, settings: { providerTimeout } })
  expect(elapsed).toBe(providerTimeout)
  expect(elapsed).toBeLessThan(Date.parse(deadline))
})

import { expect, onTestFinished, test, vi } from 'vitest'
import type { HttpAnswer } from './http-message.ts'
import { sharedTimeLimit } from './shared-time-limit.ts'

const answer: HttpAnswer = { lost: false, status: 200, headers: {}, body: {} }
const request = { method: 'GET', url: 'http://provider.test/' } as const

test('requests of one call share its time limit, and one for which nothing is left is not sent', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const limits: (number | undefined)[] = []
  const http = sharedTimeLimit(
    {
      async request(_, limitMs) {
        limits.push(limitMs)
        vi.advanceTimersByTime(6_000)
        return answer
      },
    },
    15_000,
  )
  // the time begins with the first request
  vi.advanceTimersByTime(60_000)
  for (let sent = 0; sent < 3; sent += 1) expect(await http.request(request)).toEqual(answer)
  expect(limits).toEqual([15_000, 9_000, 3_000])
  expect(await http.request(request)).toMatchObject({ lost: true, sent: false })
  expect(limits).toHaveLength(3)
})

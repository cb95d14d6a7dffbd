import { expect, test } from 'vitest'
import { readBackOfficeAnswer } from './back-office-answer.ts'

const answered = (status: number) => ({ lost: false, status, headers: {}, body: { message: 'No' } }) as const
const reasonIn = ({ message }: Record<string, unknown>) => (typeof message === 'string' ? message : null)

test.each([200, 201, 204])('HTTP %d has a body to read', (status) => {
  expect(readBackOfficeAnswer(answered(status), reasonIn)).toEqual({ body: { message: 'No' } })
})

test.each([400, 401, 403, 404, 422])('HTTP %d refuses in the provider’s words', (status) => {
  const ended = { status: 'refused', reason: 'No' }
  expect(readBackOfficeAnswer(answered(status), reasonIn)).toEqual({ ended })
})

test.each([409, 429, 500, 503])('HTTP %d tells nothing: the same request may succeed later', (status) => {
  const ended = { status: 'unknown', reason: `HTTP ${status}` }
  expect(readBackOfficeAnswer(answered(status), reasonIn)).toEqual({ ended })
})

test('a request that was not sent is refused, and a lost answer is unknown', () => {
  expect(readBackOfficeAnswer(null, reasonIn, 'no key')).toEqual({
    ended: { status: 'refused', reason: 'no key' },
  })
  expect(readBackOfficeAnswer({ lost: true, sent: true, reason: 'timeout' }, reasonIn)).toEqual({
    ended: { status: 'unknown', reason: 'timeout' },
  })
})

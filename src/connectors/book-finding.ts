import type { BookFinding } from './connector.ts'
import type { HttpAnswer } from './http-message.ts'

export const found = <Result>(outcome: Result): { status: 'found'; outcome: Result } => ({
  status: 'found',
  outcome,
})
export const absent = { status: 'absent' } as const
export const unsure = { status: 'unsure' } as const

/**
 * Reads a simulator's answer about the operation with this id. A closed operation never takes effect; only a
 * request that closes it may not get 404.
 */
export function simulatorFinding<Result extends { status: string }>(
  answer: HttpAnswer,
  { id, closes }: { id: string; closes: boolean },
  read: (body: Record<string, unknown>) => Result,
): BookFinding<Result> {
  if (answer.lost) return unsure
  if (answer.status === 404) return closes ? unsure : absent
  if (answer.status !== 200) return unsure
  if (answer.body['status'] === 'closed' && answer.body['key'] === id) return absent
  const outcome = read(answer.body)
  return outcome.status === 'unknown' ? unsure : found(outcome)
}

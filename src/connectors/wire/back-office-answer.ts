import type { HttpAnswer } from './http-message.ts'

/** The body of an answer, or why there is none. */
export type BackOfficeAnswer =
  | { body: Record<string, unknown> }
  | { ended: { status: 'refused' | 'unknown'; reason: string } }

/**
 * Reads the answer to a request that moves no money: evidence for a dispute, the registration of a webhook. After
 * a conflict (409), too many requests (429) or a server error the same request may succeed later, so that its
 * result is unknown. A null answer: nothing was sent, for the reason `unsent`. `reasonIn`: why the provider
 * refuses, in its words.
 */
export function readBackOfficeAnswer(
  answer: HttpAnswer | null,
  reasonIn: (body: Record<string, unknown>) => string | null,
  unsent = 'the service is not configured for this environment',
): BackOfficeAnswer {
  if (answer === null) return { ended: { status: 'refused', reason: unsent } }
  if (answer.lost) return { ended: { status: 'unknown', reason: answer.reason } }
  const { status, body } = answer
  if (status < 300) return { body }
  return status >= 500 || status === 409 || status === 429
    ? { ended: { status: 'unknown', reason: `HTTP ${status}` } }
    : { ended: { status: 'refused', reason: reasonIn(body) ?? `HTTP ${status}` } }
}

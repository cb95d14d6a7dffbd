import type { AuthenticationError } from '../contract/three-d-secure-server.ts'
import type { HttpAnswer } from '../wire/http-message.ts'

/** The error codes that Railyard reports itself, with the words of EMV 3DS, table A.4. */
const descriptions = {
  '101': 'Message received invalid',
  '102': 'Message version number not supported',
  '201': 'Required data element missing',
  '203': 'Format of one or more data elements is invalid',
  '301': 'Transaction ID not recognised',
  '303': 'Access denied, invalid endpoint',
  '402': 'Transaction timed out',
  '403': 'Transient system failure',
  '404': 'Permanent system failure',
  '405': 'System connection failure',
} as const

interface AuthenticationFailure {
  status: 'error'
  error: AuthenticationError
}

/** An error that Railyard found. To the other parties Railyard and the 3DS server are one (`S`). */
export const authenticationFailure = (
  code: keyof typeof descriptions,
  detail: string,
): AuthenticationFailure => ({
  status: 'error',
  error: { code, description: descriptions[code], detail, component: 'S' },
})

/** The message in an answer, or the reason why there is none. */
export function messageOf(
  answer: HttpAnswer,
): AuthenticationFailure | { status: 'message'; message: Record<string, unknown> } {
  if (answer.lost) return lostAnswer(answer)
  if (answer.body['messageType'] === 'Erro') return { status: 'error', error: readErro(answer.body) }
  if (answer.status < 300) return { status: 'message', message: answer.body }
  const detail = `the 3DS server answered HTTP ${answer.status}`
  if (answer.status === 401 || answer.status === 403) return authenticationFailure('303', detail)
  return authenticationFailure(answer.status >= 500 || answer.status === 429 ? '403' : '404', detail)
}

function lostAnswer({ sent, reason }: Extract<HttpAnswer, { lost: true }>): AuthenticationFailure {
  if (sent && (reason === 'no answer in time' || /TIMEOUT/.test(reason)))
    return authenticationFailure('402', 'no answer in time')
  return authenticationFailure(/JSON/.test(reason) ? '101' : '405', reason)
}

const readErro = (body: Record<string, unknown>): AuthenticationError => ({
  code: matching(body['errorCode'], /^\d{3}$/),
  description: printable(body['errorDescription'], 2048),
  detail: printable(body['errorDetail'], 2048),
  component: matching(body['errorComponent'], /^[CSDA]$/),
})

/**
 * Another party's text, made safe to store and show: no control characters, no half of a surrogate pair. Null
 * if it is not text.
 */
export function printable(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null
  return [...value.toWellFormed().replace(/\p{Cc}/gu, ' ')].slice(0, longest).join('')
}

/** The value, if it is text of this form; else null. */
export const matching = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

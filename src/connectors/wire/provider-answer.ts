import type { ErrorCode } from '../contract/error-codes.ts'
import { type Outcome, unknownOutcome, unprocessedOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from './http-message.ts'

/** An answer that arrived, whatever it says. */
export type Answered = Extract<HttpAnswer, { lost: false }>

/** The outcome of a request without an answer: unprocessed only if the request was never sent. */
export const lostOutcome = ({ sent, reason }: Extract<HttpAnswer, { lost: true }>): Outcome =>
  sent ? unknownOutcome(reason) : unprocessedOutcome('service_network_error', { raw_response_code: reason })

/** The code of a refused request whose body says nothing better, by its HTTP status. */
export const codesByStatus: Readonly<Partial<Record<number, ErrorCode>>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  403: 'insufficient_service_permissions',
  404: 'unknown_service_resource',
  422: 'invalid_service_request',
  429: 'service_rate_limit',
}

/** The statuses after which a provider has usually stored nothing under the request's key. */
export const unprocessedStatuses: readonly number[] = [401, 429]

/** When an operation was written, in milliseconds: its id is a UUIDv7, which begins with its time (RFC 9562 §5.7). */
export const writtenAt = (operationId: string): number =>
  Number.parseInt(operationId.replaceAll('-', '').slice(0, 12), 16)

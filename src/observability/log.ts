import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Logger } from 'pino'
import { currentRequest } from '../api/request/request-context.ts'

/** What marks the loggers of requests, and those made of them: they name their request by themselves. */
const requestLoggerMark = Symbol('of a request')

/**
 * The log: a line of JSON for each thing that happened. Lines that are written while a request is answered name it, and the transaction that it is about
 * (docs/operations/logs.md). `stream` is for tests; without it standard output.
 */
export const createLog = (level: string, stream?: DestinationStream): Logger => pino({ level, mixin: requestFields }, stream ?? pino.destination(1))

function requestFields(_line: object, _level: number, logger: object): object {
  const context = currentRequest()
  if (!context) return {}
  const { id, transaction } = context
  return { ...(!(requestLoggerMark in logger) && { request: id }), ...(transaction !== undefined && { transaction }) }
}

/** Fastify's logger of one request. */
export const requestLogger = (log: FastifyBaseLogger, bindings: object, options: object): FastifyBaseLogger =>
  Object.assign(log.child(bindings, options), { [requestLoggerMark]: true })

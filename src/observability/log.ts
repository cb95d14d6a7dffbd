import type { FastifyBaseLogger } from 'fastify'
import pino, { type DestinationStream, type Logger } from 'pino'
import { currentRequest } from '../api/request/request-context.ts'

/** Marks the loggers of requests and their children, whose lines already name the request. */
const requestLoggerMark = Symbol('of a request')

/**
 * The log, one JSON object a line. Lines that are written while a request is answered name the request and
 * its transaction (docs/operations/logs.md). `stream` is for tests; the default is standard output.
 */
export const createLog = (level: string, stream?: DestinationStream): Logger =>
  pino({ level, mixin: requestFields }, stream ?? pino.destination(1))

function requestFields(_line: object, _level: number, logger: object): object {
  const context = currentRequest()
  if (!context) return {}
  const { id, transaction } = context
  return {
    ...(!(requestLoggerMark in logger) && { request: id }),
    ...(transaction !== undefined && { transaction }),
  }
}

/** Fastify's logger of one request. */
export const requestLogger = (log: FastifyBaseLogger, bindings: object, options: object): FastifyBaseLogger =>
  Object.assign(log.child(bindings, options), { [requestLoggerMark]: true })

import {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { App } from '../api/app.ts'
import { withoutCardNumbers } from '../api/request/redact-url.ts'
import { keepAlive } from '../api/server/connections.ts'
import { answerError, answerUnreadableRequest } from '../api/server/error-handler.ts'
import { protectAnswer } from '../api/server/protect-answer.ts'
import { createHttpServer } from '../api/server/request-turns.ts'
import { requestLogger } from '../observability/log.ts'
import { isPayPageRequest, showUnknownLink } from '../payment-links/page/page.routes.ts'
import type { World } from '../world.ts'

const MAX_BODY_BYTES = 1024 * 1024
/**
 * For operations that need no bearer: a client that shows no credential makes the server read no more than
 * this.
 */
const MAX_PUBLIC_BODY_BYTES = 128 * 1024
const MAX_URL_PARAMETER = 512
/**
 * Node's own 16 KiB are too small for a browser's token with a cart (`MAX_TOKEN_LENGTH`) beside the other
 * headers.
 */
const MAX_HEADER_BYTES = 32 * 1024
const MAX_REQUEST_MS = 60_000

/**
 * The options of Fastify: limits, logging, and answers to requests that it refuses before they have a route.
 */
export function serverOptions(world: World) {
  const { settings, ids } = world
  const loggerInstance: FastifyBaseLogger = world.log
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = keepAlive(settings.stopDelay)
  const http = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false, keepAliveTimeoutBuffer }
  return {
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    childLoggerFactory: requestLogger,
    serverFactory: (handle) =>
      createHttpServer(handle, { http, keepAliveTimeout, requestTimeout: MAX_REQUEST_MS }),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: (_address, hop) => hop < settings.trustedProxies,
    routerOptions: { maxParamLength: MAX_URL_PARAMETER, ignoreTrailingSlash: true },
    genReqId: ({ headers }) => clientRequestId(headers['x-request-id']) ?? ids.next(),
    frameworkErrors: (error, request, reply) => {
      protectAnswer(reply.header('x-request-id', request.id))
      void (isPayPageRequest(request)
        ? showUnknownLink(world, request, reply)
        : answerError(error, request, reply))
    },
    clientErrorHandler: answerUnreadableRequest,
    forceCloseConnections: 'idle',
    // a request that arrives on an open connection is still carried out
    return503OnClosing: false,
  } satisfies FastifyHttpOptions<RawServerDefault, FastifyBaseLogger>
}

/** Add before the routes. */
export function limitPublicBodies(app: App): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.scopes === 'public') route.bodyLimit ??= MAX_PUBLIC_BODY_BYTES
  })
}

const requestId = /^[A-Za-z0-9._-]{1,100}$/

/** The client's own id of its request; undefined unless a log may contain it. */
const clientRequestId = (header: unknown): string | undefined =>
  typeof header === 'string' && requestId.test(header) && withoutCardNumbers(header) === header
    ? header
    : undefined

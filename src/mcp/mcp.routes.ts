import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasEmbedToken } from '../api/auth/caller.ts'
import { forbidden, unauthorized } from '../api/errors.ts'
import { clientAddress } from '../api/request/client-address.ts'
import type { Routes } from '../api/routes.ts'
import { MERCHANT_ACCOUNT } from '../api/server/request-headers.ts'
import type { World } from '../world.ts'
import { callThroughServer } from './call-through-server.ts'
import { dryRunStarter } from './dry-run/start-dry-run.ts'
import { tools } from './tools/tools.ts'

/**
 * MCP over streamable HTTP. Each POST is served by a server of its own that keeps nothing, so that any process
 * can answer it. Tools call the API of this process with the client's token.
 */
export const mcpRoutes: Routes = (app, world) => {
  const dryRun = dryRunStarter()
  app.post(
    '/mcp',
    {
      config: { scopes: 'public' },
      schema: { hide: true },
      // before the body is read
      onRequest: async (request) => {
        refusePages(world, request)
        if (request.headers.authorization === undefined) throw unauthorized('no authorization header')
        if (hasEmbedToken(await app.identify(request)))
          throw forbidden('The tools are for a merchant’s keys, not for a browser’s token')
      },
    },
    async (request, reply) => {
      const call = callThroughServer(app, callerHeaders(request), clientAddress(request))
      const reportFailure = (error: unknown) => request.log.error({ err: error }, 'a tool has failed')
      const context = { call, dryRun, reportFailure }
      // the SDK takes 33 MB and half a second of processor time: only processes that serve it load it
      const [{ createMcpHandler }, { createServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./server.ts'),
      ])
      const handler = createMcpHandler(() => createServer(tools, context), {
        // the lists never change
        maxSubscriptions: 0,
        keepAliveMs: 0,
      })
      const answer = await handler.fetch(webRequest(world, request, reply), { parsedBody: request.body })
      return sendAnswer(reply, answer)
    },
  )
}

/** Pages of other origins are refused, whatever name a browser was led to this server by (DNS rebinding). */
function refusePages({ publicUrl }: World, { headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin)
    throw forbidden('Pages of other origins may not use the tools')
}

/** The headers that name the caller, the account and the request to the API. */
function callerHeaders({ headers, id }: FastifyRequest): Record<string, string> {
  const account = headers[MERCHANT_ACCOUNT]
  return {
    authorization: headers.authorization ?? '',
    'x-request-id': id,
    ...(typeof account === 'string' && { [MERCHANT_ACCOUNT]: account }),
  }
}

/** The request in the form that the SDK takes; it is aborted when the client leaves. */
function webRequest({ publicUrl }: World, { headers }: FastifyRequest, { raw }: FastifyReply): Request {
  const left = new AbortController()
  raw.once('close', () => left.abort())
  const kept = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && name !== 'authorization') kept.set(name, value)
  return new Request(new URL('/mcp', publicUrl), { method: 'POST', headers: kept, signal: left.signal })
}

const forwarded = ['content-type', 'allow'] as const

function sendAnswer(reply: FastifyReply, answer: Response): FastifyReply {
  reply.code(answer.status).header('cache-control', 'no-store')
  for (const name of forwarded) {
    const value = answer.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  return reply.send(answer.body ? Readable.fromWeb(answer.body as ReadableStream) : undefined)
}

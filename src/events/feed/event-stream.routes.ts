import { finished, Readable } from 'node:stream'
import { type Caller, canUseScope } from '../../api/auth/caller.ts'
import { tooManyStreams } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import type { EventRow } from '../event.row.ts'
import { countStreams, streamEvents, watchLog } from './event-stream.ts'
import { readCursor } from './feed-cursor.ts'

const limits = { ofProcess: 200, ofCaller: 6 }

/** The scope that opens a resource, by its type in the event log; the others need that of the whole log. */
const scopeOfTarget: Readonly<Record<string, string>> = {
  transaction: 'transactions.read',
  capture: 'transactions.read',
  refund: 'transactions.read',
  dispute: 'disputes.read',
  payout: 'payouts.read',
  'payment-link': 'payment-links.read',
}
const WHOLE_LOG = 'webhook-subscriptions.read'

/** Live updates for pages (docs/guides/webhooks.md). */
export const eventStreamRoutes: Routes = (app, world) => {
  const streams = countStreams(limits)
  const lastPosition = watchLog(world)
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  app.get(
    '/events/stream',
    {
      config: { scopes: [...new Set([...Object.values(scopeOfTarget), WHOLE_LOG])] },
      // it has no end, which no client that is made from the document expects
      schema: { hide: true, headers: merchantAccountHeader },
    },
    async (request, reply) => {
      const { account, caller, headers } = request
      const id = headers['last-event-id' as keyof typeof headers]
      const after = typeof id === 'string' && id !== '' ? readCursor(world, account, id) : undefined
      const close = streams.open(caller.actor.id)
      if (!close) throw tooManyStreams()
      const isShown = ({ target: { type } }: EventRow) =>
        canUseScope(caller, scopeOfTarget[type] ?? WHOLE_LOG)
      const isAllowed = async () => {
        const now = await app.identify(request).catch(() => undefined)
        return now !== undefined && rightsOf(now) === rightsOf(caller)
      }
      const gone = new AbortController()
      // of a client that has gone while it was identified, `close` came before
      finished(reply.raw, () => {
        close()
        gone.abort()
      })
      const text = streamEvents(world, {
        account,
        after,
        lastPosition,
        isShown,
        isAllowed,
        signal: AbortSignal.any([closing.signal, gone.signal]),
      })
      return (
        reply
          .type('text/event-stream')
          .header('cache-control', 'no-store')
          .header('x-accel-buffering', 'no')
          // the connection ends with the stream: kept open, it would delay the stop of the process
          .header('connection', 'close')
          .send(Readable.from(text))
      )
    },
  )
}

/** Everything on which the rights of a caller depend. */
const rightsOf = ({ actor, scopes, merchantAccountIds, token, session }: Caller): string =>
  JSON.stringify([actor.id, scopes, merchantAccountIds, token?.jti, session?.id, session?.mustEnroll])

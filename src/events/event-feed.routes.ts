import { Type } from 'typebox'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { cursorTo, readPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Described, Text } from '../api/schema.ts'
import { EventFeed } from './event.schema.ts'
import { showEvent } from './event.ts'
import { BEFORE_EVERYTHING, type LogPlace, lastPlace, placeOf, readLog } from './event-log.ts'

const querystring = Type.Object(
  {
    after: Type.Optional(
      Described(Text(1, 1000), '`next_cursor` of the page before, or `now` to begin with what happens next; absent: from the first event on'),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  },
  // whoever asks with `cursor`, as of other lists, would read the first page for ever
  { additionalProperties: false },
)

export const eventFeedRoutes: Routes = (app, world) => {
  app.get(
    '/events',
    {
      config: { scopes: ['webhook-subscriptions.read'] },
      schema: {
        operationId: 'list_events',
        summary: 'Read the event log',
        description:
          'The events of the account in the order of their commits, without gaps: what webhooks deliver, for whoever cannot receive them. Keep `next_cursor` and go on from there.',
        tags: ['Events'],
        headers,
        querystring,
        response: { 200: EventFeed },
      },
    },
    async ({ account, query: { after, limit = 100 } }) => {
      const list = `events\n${account}`
      const from = after === 'now' ? await lastPlace(world, account) : readPlace(after)
      const rows = after === 'now' ? [] : await readLog(world, account, from, limit)
      const last = rows.at(-1)
      // an empty page leads back to where it began: anything later could be beyond an event that was committed after the log was read
      const { position, sequence, id } = last ? placeOf(last) : from
      const next_cursor = cursorTo(world.cipher, list, { direction: 'next', key: `${position}.${sequence}`, id })
      return { items: rows.map((row) => showEvent(world, row)), limit, next_cursor }

      function readPlace(cursor: string | undefined): LogPlace {
        const place = readPage(world.cipher, list, { cursor: cursor ?? null, limit }, 'after').position
        if (!place) return BEFORE_EVERYTHING
        const [position, sequence] = place.key.split('.').map(Number)
        return { position: position ?? 0, sequence: sequence ?? 0, id: place.id }
      }
    },
  )
}

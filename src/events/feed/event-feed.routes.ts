import { Type } from 'typebox'
import { lostCursor } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { ErrorBody } from '../../api/openapi/openapi.ts'
import type { Routes } from '../../api/routes.ts'
import { Described, Text } from '../../api/schema.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import { EventFeed } from '../event.schema.ts'
import { showEvents } from '../event.ts'
import { lastLogPosition, logPositionOf, positionBeforeLoss, readLog } from '../event-log.ts'
import { type FeedCursor, readCursor, writeCursor } from './feed-cursor.ts'

const querystring = Type.Object(
  {
    after: Type.Optional(
      Described(
        Text(1, 1000),
        '`next_cursor` of the page before, or `now` to begin with what happens next; absent: from the first event on',
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  },
  // a client that sends `cursor`, as to other lists, would read the first page for ever
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
          'The events of the account in the order of their commits, without gaps: the same events as by webhooks, for systems that cannot receive them. Keep `next_cursor` and read on from it. 410: the database was restored, and the event before the cursor is not in it; read on from the answer’s `next_cursor`.',
        tags: ['Events'],
        headers,
        querystring,
        response: {
          200: EventFeed,
          410: {
            description: 'The database was restored, and the event that the cursor follows is not in it',
            ...ErrorBody,
          },
        },
      },
    },
    async ({ account, query: { after, limit = 100 } }) => {
      const { events, cursor } =
        after === 'now'
          ? await startFeedNow(world, account)
          : await readFeedPage(world, account, after, limit)
      return {
        items: await showEvents(world, events),
        limit,
        next_cursor: writeCursor(world, account, cursor),
      }
    },
  )
}

interface FeedPage {
  events: EventRow[]
  cursor: FeedCursor
}

async function startFeedNow(world: World, account: string): Promise<FeedPage> {
  return { events: [], cursor: await lastLogPosition(world, account) }
}

async function readFeedPage(
  world: World,
  account: string,
  after: string | undefined,
  limit: number,
): Promise<FeedPage> {
  const cursor = readCursor(world, account, after)
  const read = await readLog(world, account, cursor.logPosition, limit)
  if (read === 'lost') {
    const logPosition = await positionBeforeLoss(world, account, cursor.readAt)
    throw lostCursor(writeCursor(world, account, { logPosition, readAt: cursor.readAt }))
  }
  const { events, readAt } = read
  const last = events.at(-1)
  // an empty page keeps its position: a later one could skip an event that is committed after this read
  return { events, cursor: { logPosition: last ? logPositionOf(last) : cursor.logPosition, readAt } }
}

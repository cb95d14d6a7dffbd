import { cursorTo, readPage } from '../../api/pagination.ts'
import type { World } from '../../world.ts'
import { type LogPosition, START_OF_LOG } from '../event-log.ts'

/** The content of `next_cursor`, and of the id of an event in the stream. */
export interface FeedCursor {
  /** The last event that the reader was shown. */
  logPosition: LogPosition
  /** When the log was read, in milliseconds of the database server's clock. */
  readAt: number
}

const feedListName = (account: string) => `events\n${account}`

export function writeCursor({ cipher }: World, account: string, { logPosition, readAt }: FeedCursor): string {
  const { position, sequence, id } = logPosition
  return cursorTo(cipher, feedListName(account), {
    direction: 'next',
    key: `${position}.${sequence}.${readAt}`,
    id,
  })
}

/** Throws 400 for a cursor that is not the account's. A cursor of an earlier version has no `readAt`. */
export function readCursor({ cipher }: World, account: string, cursor: string | undefined): FeedCursor {
  const last = readPage(cipher, feedListName(account), { cursor: cursor ?? null }, 'after').position
  if (!last) return { logPosition: START_OF_LOG, readAt: 0 }
  const [position = 0, sequence = 0, readAt = 0] = last.key.split('.').map(Number)
  return { logPosition: { position, sequence, id: last.id }, readAt }
}

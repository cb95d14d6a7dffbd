import { systemClock } from '../../src/base/clock.ts'
import { timeOrderedIds } from '../../src/base/ids.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
// which says of its statements that they may share commits
import '../../src/operations/journal/intend-payment.sql.ts'
import '../../src/operations/journal/record-outcome.sql.ts'
import { readSettings } from '../../src/settings.ts'
import { answer } from '../assistant.ts'
import type { Recording } from './record.process.ts'

/**
 * Sends a recorded payment's statements, or reads one by its id, for this many seconds from this many
 * callers.
 */
export interface RawQuestion {
  recording: Recording
  /**
   * `share`: statements of different payments may share commits, as the service's do; `pay`: each has its own
   * commit.
   */
  what: 'pay' | 'share' | 'read'
  seconds: number
  callers: number
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
const readOne =
  'select row_to_json(t) as transaction from transactions t where merchant_account_id = $1 and id = $2'

const database = await openDatabase(readSettings(process.env))
await migrate(database)
const ids = timeOrderedIds(systemClock)

/**
 * The recorded values with every id replaced by a fresh one of the same order, split beforehand so that
 * filling them in costs little.
 */
function prepare({ statements }: Recording) {
  const known = new Set<string>()
  for (const { values } of statements)
    for (const value of values)
      if (typeof value === 'string') for (const [id] of value.matchAll(uuid)) known.add(id)
  const order = [...known].sort()
  const cut = (value: unknown) =>
    typeof value === 'string'
      ? { texts: value.split(uuid), ids: [...value.matchAll(uuid)].map(([id]) => order.indexOf(id)) }
      : value
  const parts = statements.map(({ text, values }) => ({ text, values: values.map(cut) }))
  return () => {
    const fresh = order.map(() => ids.next())
    const fill = (value: unknown) => {
      if (typeof value !== 'object' || value === null || !('texts' in value)) return value
      const { texts, ids: places } = value as { texts: string[]; ids: number[] }
      return texts.map((text, index) => (index === 0 ? text : fresh[places[index - 1] ?? 0] + text)).join('')
    }
    return parts.map(({ text, values }) => ({ text, values: values.map(fill) }))
  }
}

answer(async ({ recording, what, seconds, callers }: RawQuestion): Promise<{ rate: number }> => {
  const next = prepare(recording)
  const began = performance.now()
  const until = began + seconds * 1000
  let done = 0
  // whether a statement may share its commit is known by its text
  const commit = what === 'share' ? '' : '\n'
  const pay = async () => {
    let settled: unknown[] = []
    for (const { text, values } of next()) settled = await database.run(text + commit, values)
    if (settled.length !== 1) throw new Error('a recorded settlement settled nothing')
  }
  const read = async () => void (await database.run(readOne, ['default', someId]))
  const [first] = await database.run<{ id: string }>('select id from transactions limit 1', [])
  const someId = first?.id ?? ids.next()
  const work = what === 'read' ? read : pay
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        await work()
        done++
      }
    }),
  )
  return { rate: (done / (performance.now() - began)) * 1000 }
})

import { systemClock } from '../../src/base/clock.ts'
import { timeOrderedIds } from '../../src/base/ids.ts'
import { callOf, functionOf } from '../../src/database/function-versions.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { byParentTables } from '../../src/database/partitions/payment-partitions.ts'
// which says of its statements that they may share commits
import '../../src/operations/journal/functions/intend-payment.sql.ts'
import '../../src/operations/journal/functions/record-outcome.sql.ts'
import { readSettings } from '../../src/settings.ts'
import { answer } from '../assistant.ts'
import type { Recording } from './record.process.ts'
import { fillIn } from './recorded-payment.ts'

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

const readOne =
  'select row_to_json(t) as transaction from transactions t where merchant_account_id = $1 and id = $2'

const database = await openDatabase(readSettings(process.env))
await migrate(database)
const ids = timeOrderedIds(systemClock)

answer(async ({ recording, what, seconds, callers }: RawQuestion): Promise<{ rate: number }> => {
  const next = fillIn(recording, ids)
  const began = performance.now()
  const until = began + seconds * 1000
  let done = 0
  // a call of the function by its own name shares no commit
  const ownCall = (text: string) => {
    const called = functionOf(text)
    return called ? callOf(called, byParentTables(called.definition)) : text
  }
  const textOf = what === 'share' ? (text: string) => text : ownCall
  const pay = async () => {
    let settled: { result?: unknown }[] = []
    for (const { text, values } of next()) settled = await database.run(textOf(text), values)
    if (settled[0]?.result == null) throw new Error('a recorded settlement settled nothing')
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

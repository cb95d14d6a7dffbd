import pg from 'pg'
import { expect, test } from 'vitest'
import { raisePositions, waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { recordEvent } from '../../src/database/logs/outbox.ts'
import { endOfLog, type LogPosition, logPositionOf, readLog as readPage } from '../../src/events/event-log.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

// what needs several sessions of one database
const onPostgres = test.runIf(process.env['DATABASE_URL'])
// what needs another server's transaction numbers; on Citus positions are times
const onOneServer = test.runIf(process.env['DATABASE_URL'] && !process.env['CITUS_WORKERS'])
const railyard = await startRailyardForFile()

const readLog = async (...asked: Parameters<typeof readPage>) => {
  const page = await readPage(...asked)
  if (page === 'lost') throw new Error('the place that is read from is not in the log')
  return page.events
}
const target = (id: string) => ({ type: 'thing', id })
const newId = () => railyard.world.ids.next()

onPostgres('a slow transaction delays the events after it in the log, and no event is missed', async () => {
  const { world } = railyard
  const account = `slow-${newId()}`
  const [slow, fast] = [newId(), newId()]
  let commit = () => {}
  const committing = new Promise<void>((resolve) => {
    commit = resolve
  })
  let wrote = () => {}
  const written = new Promise<void>((resolve) => {
    wrote = resolve
  })
  const place = await endOfLog(world)
  const transaction = world.db.transaction().execute(async (db) => {
    await recordEvent(db, world, { account, name: 'thing.slow', target: target(slow) })
    wrote()
    await committing
  })
  await written
  await world.db
    .transaction()
    .execute((db) => recordEvent(db, world, { account, name: 'thing.fast', target: target(fast) }))
  expect(await readLog(world, account, place)).toEqual([])
  commit()
  await transaction
  await waitUntilReadable(world)
  const read = await readLog(world, account, place)
  expect(read.map(({ name }) => name).sort()).toEqual(['thing.fast', 'thing.slow'])
})

onPostgres('a resource’s events keep their order, also where the later writer began earlier', async () => {
  const { world } = railyard
  const account = `order-${newId()}`
  const [resource, marker] = [newId(), newId()]
  let begun = () => {}
  const beginning = new Promise<void>((resolve) => {
    begun = resolve
  })
  let go = () => {}
  const going = new Promise<void>((resolve) => {
    go = resolve
  })
  const early = world.db.transaction().execute(async (db) => {
    // its transaction number is drawn here
    await recordEvent(db, world, { account, name: 'thing.marked', target: target(marker) })
    begun()
    await going
    await recordEvent(db, world, { account, name: 'thing.second', target: target(resource) })
  })
  await beginning
  await world.db
    .transaction()
    .execute((db) => recordEvent(db, world, { account, name: 'thing.first', target: target(resource) }))
  go()
  await early
  await waitUntilReadable(world)
  const read = await readLog(world, account)
  expect(
    read.filter(({ target_id }) => target_id === resource).map(({ name, sequence }) => [name, sequence]),
  ).toEqual([
    ['thing.first', 1],
    ['thing.second', 2],
  ])
})

onPostgres(
  'a reader beside writers of many sessions sees everything once, each resource in order',
  async () => {
    const { world } = railyard
    const account = `many-${newId()}`
    const resources = Array.from({ length: 5 }, newId)
    let writing = true
    const seen: { target_id: string; sequence: number }[] = []
    let place: LogPosition = await endOfLog(world)
    const reader = (async () => {
      for (let idle = 0; writing || idle < 2; ) {
        const wasWriting = writing
        if (!wasWriting) await waitUntilReadable(world)
        const rows = await readLog(world, account, place, 13)
        const last = rows.at(-1)
        if (last) place = logPositionOf(last)
        seen.push(...rows)
        idle = wasWriting || rows.length > 0 ? 0 : idle + 1
      }
    })()
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < 40; round++)
          await world.db
            .transaction()
            .execute(async (db) => {
              // two resources each, in an order that cannot deadlock
              const chosen = [(writer + round) % 5, (writer * 3 + round * 2) % 5].sort()
              for (const index of new Set(chosen))
                await recordEvent(db, world, {
                  account,
                  name: 'thing.changed',
                  target: target(resources[index] ?? ''),
                })
              if ((writer + round) % 7 === 0) throw new Error('taken back')
            })
            .catch((error) => {
              if (error.message !== 'taken back') throw error
            })
      }),
    )
    writing = false
    await reader
    for (const resource of resources) {
      const sequences = seen.filter(({ target_id }) => target_id === resource).map(({ sequence }) => sequence)
      expect(sequences.length).toBeGreaterThan(50)
      expect(sequences).toEqual(sequences.map((_, index) => index + 1))
    }
  },
)

onOneServer('on a server whose transaction numbers are lower, the log goes on where it was', async () => {
  const { world } = railyard
  const account = 'default'
  const write = (name: string) =>
    world.db.transaction().execute((db) => recordEvent(db, world, { account, name, target: target(newId()) }))
  await write('thing.before')
  // as if the rows came from a server that had seen a million transactions more
  const raw = new pg.Client({ connectionString: world.settings.databaseUrl })
  await raw.connect()
  await raw.query('update events set position = position + 1000000 where merchant_account_id = $1', [account])
  await raw.end()
  const [moved] = await world.run<{ position: number }>(
    'select max(position) as position from events where merchant_account_id = $1',
    [account],
  )
  expect(await raisePositions(world.run)).toBe(true)
  expect(await raisePositions(world.run)).toBe(false)
  await waitUntilReadable(world)
  const before = await readLog(world, account)
  const last = before.at(-1)
  expect(last?.position).toBe(moved?.position)
  await write('thing.after')
  await waitUntilReadable(world)
  expect((await readLog(world, account, last && logPositionOf(last))).map(({ name }) => name)).toEqual([
    'thing.after',
  ])
})

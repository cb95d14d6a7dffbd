import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { newInstanceSettings } from '../../../test/support/instance-settings.ts'
import { card } from '../../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { readSigner, signToken } from '../../accounts/api-keys/private-key.ts'
import { backUp, restore } from '../../database/backup/backup.ts'
import type { Database } from '../../database/database.ts'
import { waitUntilReadable } from '../../database/logs/event-log.ts'
import { openDatabase } from '../../database/open-database.ts'
import { privateKeyFile } from '../../process/create-instance.ts'
import { type Railyard, startRailyard } from '../../process/railyard.ts'
import type { Settings } from '../../settings.ts'
import type { Event } from '../event.schema.ts'

interface Feed {
  items: Event[]
  next_cursor: string
}

/** Starts an instance with these settings, and answers what its only merchant does with it. */
async function open(settings: Settings) {
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }) })
  const signer = await readSigner(readFileSync(privateKeyFile(settings), 'utf8'))
  const authorization = `Bearer ${await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 3_600 }, Date.now())}`
  const read = async (after?: string) => {
    await waitUntilReadable(railyard.world)
    const answer = await fetch(
      `${railyard.url}/events?limit=3${after === undefined ? '' : `&after=${after}`}`,
      { headers: { authorization } },
    )
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }
  return {
    railyard,
    read,
    async pay(amount: number): Promise<string> {
      const answer = await fetch(`${railyard.url}/transactions`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ amount, currency: 'EUR', country: 'DE', payment_method: card }),
      })
      expect(answer.status).toBe(201)
      return JSON.parse(await answer.text()).id
    },
    /** Reads every page after a cursor. */
    async readAll(after?: string): Promise<Feed> {
      const items: Event[] = []
      for (let cursor = after; ; ) {
        const { status, body } = await read(cursor)
        expect({ status, body }).toMatchObject({ status: 200 })
        items.push(...body.items)
        cursor = body.next_cursor
        if (body.items.length === 0) return { items, next_cursor: body.next_cursor }
      }
    },
  }
}

/**
 * Sets the number from which the log's positions are counted, as if the server's transaction numbers were
 * higher by it.
 */
const countFrom = ({ run }: Pick<Database, 'run'>, base: number) =>
  run(
    `create or replace function event_base() returns bigint language plpgsql stable as 'begin return ${base}; end'`,
    [],
  )

/**
 * Restores the backup into a new data folder with the keys of the old one, on a server whose transaction
 * numbers are lower.
 */
async function restoreElsewhere(from: Settings, file: string): Promise<Settings> {
  const settings = await newInstanceSettings()
  await restore(settings, file)
  for (const name of ['encryption_key', 'private_key.pem', 'sandbox-books.jsonl'])
    copyFileSync(join(from.dataDir, name), join(settings.dataDir, name))
  const database = await openDatabase(settings)
  await countFrom(database, 0).finally(database.close)
  return settings
}

const targets = ({ items }: Pick<Feed, 'items'>) => items.map(({ target }) => target.id)
const markAnHourAgo = async ({ world, logMarks }: Railyard) => {
  await logMarks.runOnce()
  await world.run(`update event_log_marks set at = at - interval '1 hour'`, [])
}

test('after a restore a reader whose last event was lost gets a 410 and a cursor from which it misses nothing; other readers continue', async () => {
  const settings = await newInstanceSettings()
  const first = await open(settings)
  await countFrom(first.railyard.world, 1_000_000)
  const paid = [await first.pay(1_00), await first.pay(2_00)]
  const early = await first.readAll()
  await markAnHourAgo(first.railyard)
  paid.push(await first.pay(3_00))
  const atBackup = await first.readAll(early.next_cursor)
  await first.railyard.close()
  const file = join(settings.dataDir, 'backup')
  await backUp(settings, file)

  const second = await open(settings)
  const lost = [await second.pay(4_00), await second.pay(5_00), await second.pay(6_00)]
  const beyond = await second.readAll(atBackup.next_cursor)
  expect(targets(beyond)).toEqual(lost)
  const { next_cursor: fromNow } = (await second.read('now')).body
  await second.railyard.close()

  const restored = await open(await restoreElsewhere(settings, file))
  onTestFinished(restored.railyard.close)
  const later = [await restored.pay(7_00), await restored.pay(8_00)]
  for (const cursor of [beyond.next_cursor, fromNow]) {
    const { status, body } = await restored.read(cursor)
    expect({ status, body }).toMatchObject({
      status: 410,
      body: { type: 'error', code: 'gone', next_cursor: expect.any(String) },
    })
    // the third payment was read before, and is read again
    expect(targets(await restored.readAll(body.next_cursor))).toEqual([paid[2], ...later])
  }
  expect(targets(await restored.readAll(atBackup.next_cursor))).toEqual(later)
  expect(targets(await restored.readAll(early.next_cursor))).toEqual([paid[2], ...later])
  expect(targets(await restored.readAll())).toEqual([...paid, ...later])
})

test('after a restore a webhook subscription receives every new event, also if it had begun beyond the last event', async () => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const settings = await newInstanceSettings()
  const first = await open(settings)
  await countFrom(first.railyard.world, 1_000_000)
  await first.pay(1_00)
  // transactions without events move the log's horizon beyond its last event
  for (let count = 0; count < 40; count++) await first.railyard.world.run('select pg_current_xact_id()', [])
  await subscribe(first.railyard, 'default', receiver)
  await first.railyard.close()
  const file = join(settings.dataDir, 'backup')
  await backUp(settings, file)

  const { railyard, pay } = await open(await restoreElsewhere(settings, file))
  onTestFinished(railyard.close)
  const paid = [await pay(2_00), await pay(3_00)]
  await railyard.sender.runOnce()
  expect(receiver.received.map(({ event }) => event.target.id)).toEqual(paid)
})

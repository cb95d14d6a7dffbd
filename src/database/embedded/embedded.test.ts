import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../empty.fixture.ts'
import { type Embedded, openEmbedded } from './embedded.ts'
import { FolderInUse } from './folder-lock.ts'

const MINUTE = 60_000
const fixture = fileURLToPath(new URL('./embedded.fixture.ts', import.meta.url))

test('a second process on the same folder is refused with the name of the first, which goes on unharmed', {
  timeout: MINUTE,
}, async () => {
  const folder = await temporaryFolder()
  const { pool } = await open(folder)
  await pool.query('create table payments as select 1 as id')

  const second = spawn(process.execPath, [fixture, 'hold', folder])
  const [complaint] = await Promise.all([text(second.stderr), once(second, 'exit')])
  expect(second.exitCode).not.toBe(0)
  expect(complaint).toContain(
    `${folder} is in use by the embedded database of process ${process.pid} since 20`,
  )

  await pool.query('insert into payments values (2)')
  expect((await pool.query('select id from payments order by id')).rows).toEqual([{ id: 1 }, { id: 2 }])
})

test('a second opening inside one process is refused, and allowed once the first has closed', {
  timeout: MINUTE,
}, async () => {
  const folder = await temporaryFolder()
  const first = await openEmbedded(folder)
  await expect(openEmbedded(folder)).rejects.toThrow(FolderInUse)
  await first.pool.query('create table payments as select 1 as id')
  await first.close()

  const { pool } = await open(folder)
  expect((await pool.query('select id from payments')).rows).toEqual([{ id: 1 }])
})

test('a folder opens again at once after its process was killed', { timeout: MINUTE }, async () => {
  const folder = await temporaryFolder()
  const holder = start('hold', folder)
  await once(holder.process.stdout, 'data')
  await holder.kill()
  expect(JSON.parse(await readFile(join(folder, 'lock.json'), 'utf8')).pid).toBe(holder.process.pid)

  const { pool } = await open(folder)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('every acknowledged commit survives kill -9 under load', { timeout: 2 * MINUTE }, async () => {
  const folder = await temporaryFolder()
  const acknowledged: string[] = []
  for (let kill = 0; kill < 3; kill++) {
    const writer = start('write', folder)
    const told = text(writer.process.stdout)
    let bytes = 0
    writer.process.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
    // 40 ids with their line breaks, however busy the machine is
    await expect.poll(() => bytes, { timeout: MINUTE }).toBeGreaterThan(40 * 37)
    await wait(Math.random() * 1000)
    await writer.kill()
    acknowledged.push(...(await told).split('\n').slice(0, -1))
  }

  const { pool } = await open(folder)
  const { rows } = await pool.query<{ id: string }>('select id from payments')
  const kept = new Set(rows.map(({ id }) => id))
  expect(acknowledged.length).toBeGreaterThan(100)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
})

test('a start after one that was killed while it unpacked the template begins again', {
  timeout: MINUTE,
}, async () => {
  const folder = await temporaryFolder()
  await (await openEmbedded(folder)).close()
  await rename(join(folder, 'database'), join(folder, 'database.partial'))
  await rm(join(folder, 'database.partial', 'global'), { recursive: true })

  const { pool } = await open(folder)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('each commit reaches the disk before it is acknowledged', { timeout: MINUTE }, async () => {
  const folder = await temporaryFolder()
  const counter = start('countFsyncs', folder, ['--import', fixture])
  expect(Number(await text(counter.process.stdout))).toBeGreaterThanOrEqual(50)
})

test('a transaction that a released or dropped client left open is rolled back before the next client', {
  timeout: MINUTE,
}, async () => {
  const pool = await openPool()
  await pool.query('create table payments (id int)')
  for (const drop of [false, true]) {
    const client = await pool.connect()
    await client.query('begin')
    await client.query('insert into payments values (1)')
    await client.query(`set search_path to 'elsewhere'`)
    client.release(drop)
    expect((await pool.query('select id from public.payments')).rows).toEqual([])
    expect((await pool.query('show search_path')).rows).toEqual([{ search_path: 'public' }])
  }
})

test('the session works after a client was dropped during a query', { timeout: MINUTE }, async () => {
  const pool = await openPool()
  const client = await pool.connect()
  const lost = client.query('select pg_sleep(0.1), 1 as mine')
  client.release(true)
  const next = pool.query('select 2 as mine')
  expect((await lost).rows).toMatchObject([{ mine: 1 }])
  expect((await next).rows).toEqual([{ mine: 2 }])
})

test('large parameters and large results arrive complete', { timeout: MINUTE }, async () => {
  const pool = await openPool()
  const parameter = 'ä'.repeat(512 * 1024)
  expect((await pool.query('select $1::text as same', [parameter])).rows).toEqual([{ same: parameter }])
  const { rows } = await pool.query(
    `select n, repeat(n::text, 1024) as body from generate_series(1000, 2279) n`,
  )
  expect(rows.map(({ body }) => body).join('')).toBe(
    Array.from({ length: 1280 }, (_, n) => `${1000 + n}`.repeat(1024)).join(''),
  )
})

test('an error has the code of PostgreSQL, and the session works afterwards', {
  timeout: MINUTE,
}, async () => {
  const pool = await openPool()
  await pool.query('create table payments (id int primary key)')
  const insert = () => pool.query({ name: 'insert', text: 'insert into payments values ($1)', values: [1] })
  await insert()
  await expect(insert()).rejects.toMatchObject({ code: '23505', constraint: 'payments_pkey' })
  await expect(pool.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' })
  expect((await pool.query('select id from payments')).rows).toEqual([{ id: 1 }])
})

test('when PostgreSQL gives up, waiting and later statements fail with its reason, and the folder can be released', {
  timeout: MINUTE,
}, async () => {
  const folder = await temporaryFolder()
  const { pool, close } = await openEmbedded(folder)
  await rm(join(folder, 'database', 'global', 'pg_control'))
  const reason = /^The embedded database stopped: PostgreSQL aborted: .*PANIC: .*pg_control/
  await expect(pool.query('checkpoint')).rejects.toThrow(reason)
  await expect(pool.query('select 1')).rejects.toThrow(reason)
  await close()
  await expect(openEmbedded(folder)).rejects.toThrow(/pg_control/)
})

test('the template is of the PostgreSQL version that the installed PGlite runs', {
  timeout: MINUTE,
}, async () => {
  const folder = await temporaryFolder()
  const { pool } = await open(folder)
  const { rows } = await pool.query<{ version: string }>(
    `select split_part(current_setting('server_version'), '.', 1) as version`,
  )
  expect(await readFile(join(folder, 'database', 'PG_VERSION'), 'utf8')).toBe(`${rows[0]?.version}\n`)
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Opens the database, and closes it after the test. */
async function open(folder: string): Promise<Embedded> {
  const embedded = await openEmbedded(folder)
  onTestFinished(embedded.close)
  return embedded
}

function start(part: string, folder: string, options: string[] = []) {
  const child = spawn(process.execPath, [...options, fixture, part, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  return { process: child, kill }
}

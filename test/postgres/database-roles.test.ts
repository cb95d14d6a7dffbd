import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { launch } from '../crash/process.ts'
import { ownDatabase } from '../support/railyard.ts'

// The two roles of docs/guides/deploy.md, with its own SQL.

const guide = readFileSync(new URL('../../docs/guides/deploy.md', import.meta.url), 'utf8')
const [, script = ''] = /## Database roles\n\n```sql\n(.*?)```/s.exec(guide) ?? []

type Database = NonNullable<Awaited<ReturnType<typeof ownDatabase>>>

const OWNER = `owner_${process.pid}`
const SERVICE = `service_${process.pid}`
let first: Database
let second: Database
let folder: string

/** The guide's statements with this test's names. Roles are made once, and the database is there. */
const statements = (database: string, createsRoles: boolean): string =>
  script
    .split('\n')
    .filter((line) => !/^create database|^\\connect/.test(line))
    .filter((line) => createsRoles || !line.startsWith('create role'))
    .join('\n')
    .replace('database railyard ', `database ${database} `)
    .replaceAll('railyard_owner', OWNER)
    .replace('role railyard ', `role ${SERVICE} `)
    .replaceAll('to railyard;', `to ${SERVICE};`)

async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

async function newDatabase(): Promise<Database> {
  const database = await ownDatabase('template0')
  if (!database) throw new TypeError('there is no PostgreSQL')
  return database
}

const nameOf = ({ url }: Database) => new URL(url).pathname.slice(1)
const giveToOwner = (database: Database) =>
  execute(database.url, `alter database ${nameOf(database)} owner to ${OWNER}`)

function urlOf({ url }: Database, role: string): string {
  const own = new URL(url)
  own.username = role
  return own.href
}

const environmentOf = (database: Database, role: string) => ({
  DATABASE_URL: urlOf(database, role),
  DATA_DIR: folder,
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  PORT: '0',
})
const run = (database: Database, role: string, ...command: string[]) =>
  launch(['src/main.js', ...command], environmentOf(database, role), /(?!)/).ended

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-roles-'))
  first = await newDatabase()
  second = await newDatabase()
  await execute(first.url, statements(nameOf(first), true))
  await giveToOwner(first)
  return async () => {
    await first.drop()
    await second.drop()
    await execute(process.env['DATABASE_URL'] ?? '', `drop role ${OWNER}; drop role ${SERVICE}`)
    await rm(folder, { recursive: true })
  }
})

test('the owner migrates, and the service verifies and backs up with the grants of the guide', async () => {
  expect(await run(first, OWNER, 'migrate')).toMatchObject({ code: 0 })
  expect(await run(first, SERVICE, 'verify')).toMatchObject({ code: 0 })
  expect(await run(first, SERVICE, 'backup', join(folder, 'backup'))).toMatchObject({ code: 0 })
})

test('a database that was restored without grants is refused with the missing privilege, and used after them', async () => {
  await giveToOwner(second)
  expect(await run(second, SERVICE, 'restore', join(folder, 'backup'))).toEqual({
    code: 1,
    output:
      'railyard: the role of DATABASE_URL may not create tables in this database: restore with the role that owns the schema (docs/guides/deploy.md, Database roles)\n',
  })
  expect(await run(second, OWNER, 'restore', join(folder, 'backup'))).toMatchObject({ code: 0 })
  for (const command of ['verify', 'look-up', 'start'])
    expect(await run(second, SERVICE, command)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^railyard: the role of DATABASE_URL lacks a privilege: permission denied for table \w+\. .*\n$/,
      ),
    })
  await execute(second.url, statements(nameOf(second), false))
  expect(await run(second, SERVICE, 'verify')).toMatchObject({ code: 0 })
})

test('a start that another session keeps waiting ends with one line that says so', async () => {
  const locker = new pg.Client({ connectionString: first.url })
  await locker.connect()
  onTestFinished(() => locker.end())
  await locker.query('begin; lock table merchant_accounts in access exclusive mode')
  expect(await run(first, SERVICE, 'start')).toEqual({
    code: 1,
    output: expect.stringMatching(/^railyard: the database did not answer in time: .*lock timeout.*\n$/),
  })
})

test('the service may not divide tables or retire payments, and is told which role may', async () => {
  const refused = {
    code: 1,
    output: `railyard: the role ${SERVICE} of DATABASE_URL does not own the table transactions: only ${OWNER} may divide the tables of payments and retire payments\n`,
  }
  expect(await run(first, SERVICE, 'partitions', 'cut')).toEqual(refused)
  expect(await run(first, OWNER, 'partitions', 'cut')).toMatchObject({
    code: 0,
    output: '6 tables have a new partition\n',
  })
  expect(await run(first, SERVICE, 'partitions', 'list')).toMatchObject({ code: 0 })
  const started = launch(['src/main.js', 'start'], environmentOf(first, SERVICE), /Railyard is ready/)
  await started.printed('Railyard is ready')
  expect((await started.stop()).output).toContain(
    `"msg":"the role ${SERVICE} of DATABASE_URL does not own the table`,
  )
})

test('a start names the privileges that its role lacks, and none with the grants of the guide', async () => {
  const outputOfStart = async () => {
    const started = launch(['src/main.js', 'start'], environmentOf(first, SERVICE), /Railyard is ready/)
    await started.printed('Railyard is ready')
    return (await started.stop()).output
  }
  expect(await outputOfStart()).not.toContain('lacks privileges')
  await execute(
    first.url,
    `revoke update on buyers from ${SERVICE}; revoke usage on all sequences in schema public from ${SERVICE}`,
  )
  expect(await outputOfStart()).toContain(
    `the role ${SERVICE} of DATABASE_URL lacks privileges, and requests that need them fail: update on buyers, usage on wal_histories_number_seq. Grant it`,
  )
  await execute(first.url, statements(nameOf(first), false))
})

test('a worker with ARCHIVE_DIR is refused where its role may not create temporary tables, or has too few connections', async () => {
  const database = nameOf(first)
  const start = (more: Record<string, string> = {}) =>
    launch(
      ['src/main.js', 'start'],
      { ...environmentOf(first, SERVICE), ARCHIVE_DIR: join(folder, 'archive'), ...more },
      /Railyard is ready/,
    )
  await execute(first.url, `revoke temporary on database ${database} from public, ${SERVICE}`)
  expect(await start().ended).toEqual({
    code: 1,
    output: expect.stringContaining(`grant temporary on database ${database} to ${SERVICE}`),
  })
  await execute(first.url, statements(database, false))
  expect(await start({ DATABASE_POOL_SIZE: '2' }).ended).toEqual({
    code: 1,
    output: expect.stringContaining('DATABASE_POOL_SIZE must be 3 or more with ARCHIVE_DIR'),
  })
  const started = start()
  await started.printed('Railyard is ready')
  await started.stop()
})

test('a role that can use no schema of its search_path is refused with the remedy', async () => {
  await execute(first.url, `alter role ${SERVICE} set search_path = elsewhere`)
  expect(await run(first, SERVICE, 'verify')).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^railyard: the role of DATABASE_URL can use no schema of its search_path \(elsewhere\): .*\n$/,
    ),
  })
  await execute(first.url, `alter role ${SERVICE} reset search_path`)
})

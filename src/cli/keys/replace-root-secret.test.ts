import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { launch } from '../../../test/crash/process.ts'
import { newPlace } from '../../../test/support/new-place.ts'
import { withoutTriggers } from '../../../test/support/tamper.ts'
import { auditChain } from '../../accounts/audit-log/audit-seal.ts'
import { insertAccountShard } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { sealedLogs } from '../../background/seal-logs.ts'
import { type Cipher, createCipher } from '../../base/cipher.ts'
import { type Seal, sealerOf } from '../../database/logs/chain.ts'
import { retirementHash, verifyRetirements } from '../../database/logs/retirement-seal.ts'
import { verifyChain } from '../../database/logs/verify-chain.ts'
import type { Statements } from '../../database/statements.ts'
import { notificationUrl } from '../../payment-services/notification-url.ts'
import { type Railyard, startRailyard } from '../../process/railyard.ts'
import { insertSandboxServices } from '../../process/sandbox-services.ts'
import type { Settings } from '../../settings.ts'
import { keyFileOf, readKeyFile } from '../../vault/keys/key-file.ts'
import { localKeys } from '../../vault/keys/local-keys.ts'
import { announceRootSecret, useRootSecret } from '../../vault/keys/root-secret.ts'
import { sealedColumns, staleValues } from '../../vault/keys/sealed-values.ts'
import { openVault } from '../../vault/open-vault.ts'
import { withDatabase } from '../support/command-database.ts'
import { replaceRootSecret } from './replace-root-secret.ts'
import { rotateEncryption } from './rotate-encryption.ts'

const settings = await newPlace(afterAll, { PORT: '0', STOP_DELAY_MS: '0' })
/** The attacker has the first encryption key, and a copy of the database from that time. */
let oldKey: Buffer
let oldRootSecret: Buffer
let oldUrl: string
let fingerprint: string
let service: string

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  return () => vi.restoreAllMocks()
})

const start = (sandboxUrl?: string) =>
  startRailyard({ ...settings, sandboxUrl }, { log: pino({ level: 'silent' }) })

/**
 * Runs `work` while two processes serve, then `check` with them; on the embedded database one process starts
 * after `work`.
 */
async function whileServing(
  work: () => Promise<void>,
  check: (serving: readonly Railyard[]) => Promise<void>,
): Promise<void> {
  const started = settings.databaseUrl ? await startTwo() : []
  try {
    await work()
    const serving = started.length > 0 ? started : [await start()]
    await check(serving).finally(() =>
      started.length > 0 ? undefined : Promise.all(serving.map((each) => each.close())),
    )
  } finally {
    for (const each of started.toReversed()) await each.close()
  }
}

async function startTwo(): Promise<Railyard[]> {
  const first = await start()
  return [first, await start(first.simulatorUrl)]
}

const notify = async ({ url }: Railyard, path: string) =>
  (
    await fetch(`${url}${path}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
  ).status
const urlOf = ({ world }: Railyard) => new URL(notificationUrl(world, 'default', service)).pathname
const sealedOf = async ({ world }: Railyard, id = service) =>
  (
    await world.db
      .selectFrom('payment_services')
      .select('secrets')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).secrets ?? Buffer.alloc(0)
const opened = (cipher: Cipher, sealed: Buffer, id = service) =>
  cipher.open('payment-service-fields', sealed, `default/${id}`)

/** Adds a payment service in an account of its own; answers its id. */
async function addServiceOfParis({ world }: Railyard): Promise<string> {
  const now = new Date().toISOString()
  const account = {
    id: 'paris',
    display_name: 'Paris',
    account_updater_enabled: false,
    async_network_tokens_enabled: false,
    identifiers: '{}',
    created_at: now,
    updated_at: now,
  }
  await world.db.insertInto('merchant_accounts').values(account).execute()
  await insertAccountShard(world.db, account.id)
  return (await insertSandboxServices(world, 'paris')).get('wallet-wallet') ?? ''
}

test('after the recovery a leaked key and a copy of the database of then open nothing that was sealed since or again, and processes serve throughout', async () => {
  const made = await start()
  const { secrets, id } = await made.world.db
    .selectFrom('payment_services')
    .select(['id', 'secrets'])
    .where('secrets', 'is not', null)
    .executeTakeFirstOrThrow()
  service = id
  ;[oldKey = Buffer.alloc(0)] = await readKeyFile(keyFileOf(settings))
  const { key_id: keyId, wrapped } = await made.world.db
    .selectFrom('root_secret')
    .selectAll()
    .executeTakeFirstOrThrow()
  oldRootSecret = await localKeys([oldKey]).unwrap({ keyId, wrapped }, 'root_secret')
  const attacker = createCipher(oldRootSecret)
  const plain = opened(attacker, secrets ?? Buffer.alloc(0))
  fingerprint = made.world.cipher.mac('card-fingerprint', '4111111111111111').toString('hex')
  oldUrl = urlOf(made)
  await made.sealing.runOnce()
  await made.close()

  await whileServing(
    async () => {
      expect(await rotateEncryption(settings, { new: true })).toBe(0)
      expect(await replaceRootSecret(settings, {})).toBe(0)
    },
    async (serving) => {
      for (const railyard of serving) {
        const { world } = railyard
        expect(world.cipher.generation()).toBe(2)
        expect(opened(world.cipher, await sealedOf(railyard))).toBe(plain)
        expect(world.cipher.mac('card-fingerprint', '4111111111111111').toString('hex')).toBe(fingerprint)
        expect(urlOf(railyard)).not.toBe(oldUrl)
        for (const url of [oldUrl, urlOf(railyard)]) expect(await notify(railyard, url)).not.toBe(404)
        expect((await fetch(`${railyard.url}/health/ready`)).status).toBe(200)
      }
      const [first] = serving
      if (!first) throw new Error('there is no process')
      expect(await staleValues(first.world, 2)).toBe(0)
      expect(opened(attacker, secrets ?? Buffer.alloc(0))).toBe(plain)
      for (const [account, each] of [
        ['default', service],
        ['paris', await addServiceOfParis(first)],
      ] as const) {
        const sealed = await sealedOf(first, each)
        expect(first.world.cipher.open('payment-service-fields', sealed, `${account}/${each}`)).toContain(
          'sandbox',
        )
        expect(() => attacker.open('payment-service-fields', sealed, `${account}/${each}`)).toThrow()
      }
      // the old key opens no root secret of today
      const rows = await first.world.db.selectFrom('root_secret').selectAll().execute()
      expect(rows.map(({ generation }) => generation).sort()).toEqual([1, 2])
      for (const row of rows)
        await expect(
          localKeys([oldKey]).unwrap({ keyId: row.key_id, wrapped: row.wrapped }, 'root_secret'),
        ).rejects.toThrow()
      await first.sealing.runOnce()
      expect(await brokenLinks(first.world)).toEqual([])
    },
  )
})

test('after --end-overlap, URLs that were made under an earlier root secret are refused, and newer ones accepted', async () => {
  await whileServing(
    async () => void expect(await replaceRootSecret(settings, { endOverlap: true })).toBe(0),
    async (serving) => {
      for (const railyard of serving) {
        await vi.waitFor(async () => expect(await notify(railyard, oldUrl)).toBe(404), {
          timeout: 20_000,
          interval: 200,
        })
        expect(await notify(railyard, urlOf(railyard))).not.toBe(404)
      }
    },
  )
})

test('keys replace-root-secret is refused while secrets are under an earlier encryption key', async () => {
  const [, earlier = Buffer.alloc(0)] = await readKeyFile(keyFileOf(settings))
  await withDatabase(settings, async ({ db }) => {
    const { keyId, wrapped } = await localKeys([earlier]).wrap(oldRootSecret, 'root_secret')
    const { key_id, wrapped: original } = await db
      .selectFrom('root_secret')
      .selectAll()
      .where('generation', '=', 1)
      .executeTakeFirstOrThrow()
    await db.updateTable('root_secret').set({ key_id: keyId, wrapped }).where('generation', '=', 1).execute()
    onTestFinished(() =>
      withDatabase(settings, async ({ db: again }) => {
        await again
          .updateTable('root_secret')
          .set({ key_id, wrapped: original })
          .where('generation', '=', 1)
          .execute()
      }),
    )
  })
  await expect(replaceRootSecret(settings, {})).rejects.toThrow(
    /secrets are under an earlier encryption key still/,
  )
})

/** The generations of the root secret that are in use or were, and those that never were. */
const generations = () =>
  withDatabase(settings, async ({ db }) => {
    const rows = await db.selectFrom('root_secret').selectAll().orderBy('generation').execute()
    const numbersOf = (some: typeof rows) => some.map(({ generation }) => generation)
    const { true: used = [], false: unused = [] } = Object.groupBy(
      rows,
      ({ generation, used_at }) => `${generation === 1 || used_at !== null}` as const,
    )
    return { used: numbersOf(used), unused: numbersOf(unused) }
  })

// on the embedded database there is no other process
test.runIf(process.env['DATABASE_URL'])(
  'a new root secret is not used while a process does not know it',
  async () => {
    await withDatabase(settings, ({ db }) =>
      sql`insert into service_processes (id, host, pid, encryption_keys, seen_at) values (gen_random_uuid(), 'elsewhere', 4711, '{}', now())`.execute(
        db,
      ),
    )
    const before = await generations()
    await expect(replaceRootSecret(settings, {}, 1_000)).rejects.toThrow(
      /^the process 4711 on elsewhere must know the root secret 3 before it is used/,
    )
    expect(await generations()).toEqual({ ...before, unused: [3] })
    await withDatabase(settings, ({ db }) => db.deleteFrom('service_processes').execute())
  },
)

test('a root secret that an interrupted replacement has left, and a backup may have, is never used', async () => {
  const left = await withDatabase(settings, async ({ db }) => {
    const { masterKeys } = await openVault(db, settings)
    return announceRootSecret(db, masterKeys.keys).finally(() => masterKeys.close())
  })
  const before = await generations()
  expect(before.unused).toContain(left)
  expect(await replaceRootSecret(settings, {})).toBe(0)
  expect(await generations()).toEqual({ ...before, used: [...before.used, left + 1] })
})

test('a replacement that is killed half-way is completed with another root secret when it is run again', async () => {
  const killed = launch(
    ['src/main.js', 'keys', 'replace-root-secret'],
    envOf(settings),
    /The root secret (\d+) is in use/,
  )
  const { url: generation } = await killed.ready
  killed.kill()
  await killed.ended
  expect(await replaceRootSecret(settings, {})).toBe(0)
  const railyard = await start()
  try {
    expect(railyard.world.cipher.generation()).toBe(Number(generation) + 1)
    expect(await staleValues(railyard.world, railyard.world.cipher.generation())).toBe(0)
    expect(JSON.parse(opened(railyard.world.cipher, await sealedOf(railyard)))).toBeTypeOf('object')
    expect(await brokenLinks(railyard.world)).toEqual([])
  } finally {
    await railyard.close()
  }
})

/** Findings in the chains of the audit log and the journal. */
const brokenLinks = async ({ run, cipher }: { run: Statements; cipher: Cipher }) =>
  (await Promise.all(sealedLogs.map((chain) => verifyChain(run, cipher, chain)))).flatMap(
    ({ findings }) => findings,
  )

const envOf = ({ dataDir, databaseUrl }: Settings) => ({
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: '3' }),
})

test('verification finds an audit log that was sealed again with a leaked root secret, and a link that was added with it', async () => {
  await withDatabase(settings, async ({ db, run }) => {
    const { cipher, masterKeys } = await openVault(db, settings)
    const attacker = createCipher(oldRootSecret)
    expect(await brokenLinks({ run, cipher })).toEqual([])
    const last = await db
      .selectFrom('audit_seals')
      .selectAll()
      .where('merchant_account_id', '=', 'default')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const forge = async (number: number, before: Pick<Seal, 'position' | 'hash'> | undefined) => {
      const range = {
        account: 'default',
        number,
        before,
        position: last.position,
        createdAt: last.created_at,
      }
      const [link] = await auditChain.links(run, sealerOf(attacker, 1), [range])
      await db
        .insertInto('audit_seals')
        .values({ ...last, number, entries: 0, hash: Buffer.alloc(32), ...link })
        .execute()
    }
    await forge(last.number + 1, last)
    const appended = {
      account: 'default',
      link: last.number + 1,
      problem: expect.stringContaining('is not what was sealed'),
    }
    expect(await brokenLinks({ run, cipher })).toEqual([appended])
    await db.transaction().execute(async (tx) => {
      await withoutTriggers(tx)
      await sql`delete from audit_seals where merchant_account_id = 'default'`.execute(tx)
    })
    await forge(1, undefined)
    expect(await brokenLinks({ run, cipher })).toEqual([
      {
        account: 'default',
        link: 1,
        problem: expect.stringContaining('was made under an earlier root secret'),
      },
    ])
    await masterKeys.close()
  })
})

test('retirements with their files are sealed again, also after a replacement that was killed, and one that was forged stays found', async () => {
  const times = { started_at: '2026-01-01T00:00:00Z', retired_at: '2026-01-01T00:01:00Z' }
  const retirements = [1, 2].map((number) => ({
    ...times,
    number,
    below: `018c${number}000-0000-7000-8000-000000000000`,
    actor: 'background',
    counts: '{}',
  }))
  await withDatabase(settings, async ({ db, run }) => {
    const { cipher, masterKeys } = await openVault(db, settings)
    for (const retirement of retirements) {
      await db
        .insertInto('archived_files')
        .values({
          retirement: retirement.number,
          kind: 'transactions',
          name: `transactions-${retirement.number}.parquet`,
          rows: 1,
          bytes: 1,
          sha256: Buffer.alloc(32, retirement.number),
          earliest: times.started_at,
          latest: null,
        })
        .execute()
      const hash = await retirementHash(run, cipher, retirement, cipher.generation())
      await db
        .insertInto('retirements')
        .values({ ...retirement, hash })
        .execute()
    }
    expect(await verifyRetirements(run, cipher)).toEqual([])
    await run(`update archived_files set rows = 2 where retirement = 2`, [])
    // a replacement that was killed before it sealed anything again
    await useRootSecret(run, await announceRootSecret(db, masterKeys.keys))
    await masterKeys.close()
  })
  expect(await replaceRootSecret(settings, {})).toBe(0)
  await withDatabase(settings, async ({ db, run }) => {
    const { cipher, masterKeys } = await openVault(db, settings)
    expect(await verifyRetirements(run, cipher)).toEqual(['retirement 2 is not what was sealed'])
    await run(`update archived_files set rows = 1 where retirement = 2`, [])
    // its seal is still the one under the earlier root secret
    expect(await verifyRetirements(run, cipher)).toEqual(['retirement 2 is not what was sealed'])
    await run('delete from archived_files', [])
    await run('delete from retirements', [])
    await masterKeys.close()
  })
})

test('every column of bytes is sealed again, is an envelope, or holds no secret', async () => {
  const envelopes = ['data_key', 'sealed', 'wrapped']
  const noSecrets = [
    /_hash$/,
    /\.hash$/,
    /\.mac$/,
    /fingerprint$/,
    /^insight_hours\./,
    /sha256$/,
    /_digest$/,
    /^used_wallet_tokens\.token$/,
    // timelines and calls, masked before they are packed
    /^(transaction_events\.packed|operations\.packed_exchanges)$/,
    // what authenticators tell every server
    /^user_passkeys\.(credential_id|public_key)$/,
  ]
  const rows = await withDatabase(settings, ({ run }) =>
    run<{ place: string; name: string }>(
      `select table_name || '.' || column_name as place, column_name as name
         from information_schema.columns where table_schema = 'public' and data_type = 'bytea'`,
      [],
    ),
  )
  const others = rows.filter(
    ({ place, name }) => !envelopes.includes(name) && !noSecrets.some((pattern) => pattern.test(place)),
  )
  const resealed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  expect(others.map(({ place }) => place).sort()).toEqual([...resealed].sort())
})

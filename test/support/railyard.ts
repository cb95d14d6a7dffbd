import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertKeyPair } from '../../src/accounts/api-keys/api-key-pair.store.ts'
import { generateKey, readSigner, type Signer, signToken } from '../../src/accounts/api-keys/private-key.ts'
import type { Algorithm } from '../../src/api/auth/token.ts'
import type { Background } from '../../src/background/background.ts'
import type { Clock } from '../../src/base/clock.ts'
import { createLog } from '../../src/observability/log.ts'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { readSettings } from '../../src/settings.ts'
import { type ClusterDatabase, createDatabase } from './cluster.ts'

/** A clock that a test advances. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

/** To the start of a minute, so that no other minute begins while a test runs. */
export const advanceToNextMinute = (clock: TestClock): void => clock.advance(60_000 - (clock.now() % 60_000))

export function testClock(): TestClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}

export interface Answer {
  status: number
  // a test may read any member of an answer
  // biome-ignore lint/suspicious/noExplicitAny: asserted by the test that reads it
  body: any
  headers: Headers
}

export interface Client {
  account: string
  token: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string): Promise<Answer>
}

export interface TestRailyard extends Railyard {
  clock: TestClock
  /** Everything that was logged. */
  logged: string[]
  /** An unlimited key, on the account `default`. */
  admin: Client
  /** A new merchant account with a `mock-card` service, and a client for it. */
  merchant(options?: MerchantOptions): Promise<Client & { signer: Signer; paymentServiceId: string }>
  /** A client with its own key pair. */
  client(options: ClientOptions): Promise<Client & { signer: Signer; keyId: string }>
  send(
    method: string,
    path: string,
    init?: { body?: string; headers?: Record<string, string>; redirect?: 'manual' },
  ): Promise<Answer>
}

interface MerchantOptions {
  scopes?: string[]
  merchantAccountIds?: string[]
  settings?: Record<string, unknown>
}

interface ClientOptions {
  account: string
  scopes?: string[]
  roleIds?: string[]
  merchantAccountIds?: string[]
  algorithm?: Algorithm
  embed?: Record<string, unknown>
}

/** Ends the background work of a process. */
export async function stopBackground(background: Background): Promise<void> {
  for (const name of taskNames) await background[name].stop()
}

/** Each task of the background, so that none is forgotten. */
const everyTask: Record<keyof Background, true> = {
  recovery: true,
  maintenance: true,
  health: true,
  sender: true,
  sealing: true,
  logMarks: true,
  paymentLinks: true,
  reports: true,
  monitoring: true,
  reconciliation: true,
  insights: true,
  erasing: true,
  proposals: true,
  partitioning: true,
  pageChecks: true,
}
const isTaskName = (name: string): name is keyof Background => name in everyTask
/** The tasks of the background, in the order in which they are stopped. */
export const taskNames = Object.keys(everyTask).filter(isTaskName)

/**
 * Starts an instance for one test file: in memory, or with a new database if `DATABASE_URL` names a
 * PostgreSQL.
 */
export async function startTestRailyard(
  env: Record<string, string> = {},
  clock: TestClock = testClock(),
): Promise<TestRailyard> {
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-test-'))
  const database = await ownDatabase(process.env['TEST_DATABASE_TEMPLATE'])
  const logged: string[] = []
  const log = createLog('info', { write: (line) => void logged.push(line) })
  const settings = readSettings({
    DATA_DIR: dataDir,
    PORT: '0',
    // a busy machine may need a second for an answer of the simulators
    PROVIDER_TIMEOUT_MS: '3000',
    RECOVERY_INTERVAL_MS: '60000',
    // refusals on a busy machine are for the tests of admission
    OVERLOAD_WAIT_MS: '0',
    // every test pays with the same few cards
    CARD_ATTEMPTS_PER_BIN: '0',
    ...(database && { DATABASE_URL: database.url, DATABASE_POOL_SIZE: '10' }),
    ...env,
  })
  const railyard = await startRailyard(settings, { clock, log, inMemory: true })
  const { world, url } = railyard

  const send: TestRailyard['send'] = async (method, path, { body, headers = {}, redirect } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(redirect && { redirect }),
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : parse(text), headers: answer.headers }
  }
  const clientWith = async (
    signer: Signer,
    account: string,
    scopes: string[],
    embed?: Record<string, unknown>,
  ): Promise<Client> => {
    const token = await signToken(
      signer,
      { scopes, expiresIn: 365 * 86_400, ...(embed && { embed }) },
      clock.now(),
    )
    const headers = { authorization: `Bearer ${token}`, 'x-svc-merchant-account-id': account }
    const withBody = (method: string) => (path: string, body?: unknown, more?: Record<string, string>) =>
      send(method, path, {
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    return {
      account,
      token,
      get: (path, more) => send('GET', path, { headers: { ...headers, ...more } }),
      post: withBody('POST'),
      put: withBody('PUT'),
      delete: (path) => send('DELETE', path, { headers }),
    }
  }
  const client: TestRailyard['client'] = async ({
    account,
    scopes = ['*.read', '*.write'],
    roleIds = ['administrator'],
    merchantAccountIds = [],
    algorithm = 'ES256',
    embed,
  }) => {
    const key = await generateKey(algorithm)
    const row = await insertKeyPair(world, {
      displayName: 'Test',
      algorithm,
      thumbprint: key.thumbprint,
      publicJwk: key.publicJwk,
      roleIds,
      merchantAccountIds,
    })
    const signer = await readSigner(key.privateKeyPem, algorithm === 'RS256' ? 'RS256' : 'RS512')
    return { ...(await clientWith(signer, account, scopes, embed)), signer, keyId: row.id }
  }
  const admin = await client({ account: 'default' })

  return {
    ...railyard,
    clock,
    logged,
    admin,
    send,
    client,
    async merchant({ scopes, merchantAccountIds, settings: accountSettings = {} } = {}) {
      const account = `m-${randomUUID()}`
      await admin.post('/merchant-accounts', {
        id: account,
        display_name: 'Test merchant',
        ...accountSettings,
      })
      const service = await admin.post('/payment-services', mockCardService(), {
        'x-svc-merchant-account-id': account,
      })
      const own = await client({
        account,
        merchantAccountIds: merchantAccountIds ?? [account],
        ...(scopes && { scopes }),
      })
      return { ...own, paymentServiceId: service.body.id }
    },
    async close() {
      await railyard.close()
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export const mockCardService = (more: Record<string, unknown> = {}) => ({
  display_name: 'Mock card',
  payment_service_definition_id: 'mock-card',
  fields: [{ key: 'merchant_id', value: 'test' }],
  accepted_currencies: ['USD', 'EUR', 'GBP', 'JPY'],
  accepted_countries: ['US', 'DE', 'GB', 'JP'],
  ...more,
})

/** The card that is always accepted. */
export const card = {
  method: 'card',
  number: '4111111111111111',
  expiration_date: '12/35',
  security_code: '123',
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * A new database on the PostgreSQL of `DATABASE_URL`, empty or a copy of the `template` that
 * test/setup/postgres-template.ts made; undefined where there is none.
 */
export const ownDatabase = (
  template = process.env['TEST_EMPTY_TEMPLATE'],
): Promise<ClusterDatabase | undefined> => createDatabase('railyard_test', template)

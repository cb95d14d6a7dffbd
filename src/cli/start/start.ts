import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSigner, signToken } from '../../accounts/api-keys/private-key.ts'
import { findSigningKey } from '../../accounts/api-keys/signing-key.ts'
import { createSignInLink, offersSignInLink } from '../../accounts/sign-in/sign-in-link.store.ts'
import type { Database } from '../../database/database.ts'
import { errorText } from '../../database/postgres/error-text.ts'
import { privateKeyFile } from '../../process/create-instance.ts'
import { type Railyard, startRailyard } from '../../process/railyard.ts'
import type { Settings } from '../../settings.ts'
import type { World } from '../../world.ts'
import { sandboxLines, warnOfSandbox } from './sandbox-notice.ts'
import { warnings } from './warnings.ts'

const HOUR_SECONDS = 3_600

/**
 * Within this time, a second SIGINT is the same Ctrl-C: the terminal sends it to the whole process group, and
 * npm passes on its own.
 */
const SAME_CTRL_C_MS = 1_000

/**
 * `railyard start`: runs until a signal stops it. A second signal, a second or more later, stops it at once.
 * `database` is the result of `startOpeningDatabase`; `startedAt` is when that began, before this module was
 * loaded.
 */
export async function start(
  settings: Settings,
  database: () => Promise<Database>,
  startedAt: number,
): Promise<void> {
  const railyard = await startRailyard(settings, { database })
  const ms = Math.round(performance.now() - startedAt)
  stopOnSignal(railyard)
  warnOfSandbox(railyard.world)
  const { log } = railyard.world
  for (const warning of await warnings(railyard).catch(unchecked)) log.warn(warning)
  console.log(
    await welcome(railyard, settings, ms).catch((error) => {
      log.warn(`the welcome is incomplete: ${errorText(error)}`)
      return readyLines(settings, ms).join('\n')
    }),
  )
}

function readyLines(settings: Settings, ms: number): string[] {
  const database = settings.databaseUrl ? 'PostgreSQL' : `embedded database in ${settings.dataDir}`
  const processRole = settings.processRole === 'all' ? [] : [settings.processRole]
  const facts = [settings.environment, ...processRole, database, `${ms} ms`]
  return ['', `Railyard is ready (${facts.join(', ')})`, ...sandboxLines(settings), '']
}

/** The process answers requests already, and a database that does not answer now is no reason to end it. */
const unchecked = (error: unknown): string[] => [
  `the checks of the start could not be made: ${errorText(error)}`,
]

/**
 * Called before anything is printed: a supervisor may stop the process as soon as it reads that it is ready.
 */
function stopOnSignal(railyard: Railyard): void {
  let stoppingSince: number | undefined
  const { log } = railyard.world
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince >= SAME_CTRL_C_MS) process.exit(130)
      return
    }
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    railyard.close().then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error) => {
        console.error(error instanceof Error ? error.message : error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/**
 * The text for the terminal: URLs, and commands for a first payment. Only a single process of a sandbox
 * prints a token and a sign-in link, since it runs on a developer's machine: the output of several processes
 * is collected, and other people read it.
 */
async function welcome({ url, created, world }: Railyard, settings: Settings, ms: number): Promise<string> {
  const ready = readyLines(settings, ms)
  if (settings.processRole === 'worker')
    return [...ready, `  Health     ${url}/health/ready`, `  Metrics    ${url}/metrics`, ''].join('\n')
  const isOwnSandbox = settings.environment === 'sandbox' && settings.processRole === 'all'
  const lines = [
    ...ready,
    `  Dashboard  ${world.publicUrl}/dashboard`,
    ...(isOwnSandbox ? await signInLines(world) : []),
    `  API        ${url}`,
    `  Reference  ${url}/docs`,
    `  OpenAPI    ${url}/openapi.json`,
    ...(created ? [`  Key        ${privateKeyFile(settings)} (keep it safe: it signs your tokens)`] : []),
  ]
  const signer = await readFile(privateKeyFile(settings), 'utf8').then(readFirstKey, () => undefined)
  if (!signer || !(await findSigningKey(world, signer.thumbprint)))
    return [...lines, '', unusableKeyLines(settings, signer !== undefined), ''].join('\n')
  if (!isOwnSandbox)
    return [
      ...lines,
      '',
      'Sign a token with: npm run -s railyard -- token --scopes "*.read,*.write"',
      '',
    ].join('\n')
  const token = await signToken(
    signer,
    { scopes: ['*.read', '*.write'], expiresIn: HOUR_SECONDS },
    Date.now(),
  )
  return [
    ...lines,
    '',
    'A first payment, to paste into another terminal (the token is good for an hour):',
    '',
    `TOKEN=${token}`,
    `curl -s ${url}/transactions -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"amount": 1299, "currency": "USD", "country": "US", "payment_method": {"method": "card", "number": "4111111111111111", "expiration_date": "12/35", "security_code": "123"}}'`,
    '',
    'And the list of payments:',
    '',
    `curl -s "${url}/transactions?limit=5" -H "Authorization: Bearer $TOKEN"`,
    '',
  ].join('\n')
}

/** The one-time link of the sandbox's administrator, if there is no other person. */
const signInLines = async (world: World): Promise<string[]> =>
  (await offersSignInLink(world))
    ? [`  Sign in    ${await createSignInLink(world, world.publicUrl)} (once, within 24 hours)`]
    : []

const readFirstKey = (pem: string) => readSigner(pem).catch(() => undefined)

/**
 * What to do if tokens of the instance's first key would be refused: the key is missing, revoked or of
 * another database.
 */
function unusableKeyLines(settings: Settings, exists: boolean): string {
  const file = privateKeyFile(settings)
  const problem = exists
    ? `The key of ${file} is revoked, or not one of this database: its tokens are refused.`
    : `There is no private key in ${file}.`
  const stop = settings.databaseUrl ? '' : ' (stop Railyard first)'
  return `${problem}\nSign tokens with another (npm run -s railyard -- token --key FILE), or make one${stop}: DATA_DIR=${settings.dataDir} npm run railyard -- keys create --out ${join(settings.dataDir, 'shop.pem')}`
}

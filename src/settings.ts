import { type Network, readNetwork } from './outgoing/network.ts'
import { isPageUrl } from './outgoing/url-problem.ts'

/** A setting: the environment variable that holds it, how its text is read, what it is without one, and what it means. */
interface Setting<T> {
  variable: string
  read: (text: string) => T
  fallback: T
  meaning: string
}

const setting = <T>(variable: string, read: (text: string) => T, fallback: T, meaning: string): Setting<T> => ({ variable, read, fallback, meaning })

/** What a reader of a setting throws; `readSettings` puts the variable's name in front. */
const refuse = (expectation: string): never => {
  throw new TypeError(expectation)
}

const text = (value: string) => value

const wholeNumber = (minimum: number, maximum: number) => (value: string) => {
  const number = Number(value)
  return Number.isInteger(number) && number >= minimum && number <= maximum ? number : refuse(`a whole number from ${minimum} to ${maximum}`)
}

const oneOf =
  <const W extends readonly string[]>(...words: W) =>
  (value: string): W[number] =>
    words.find((word) => word === value) ?? refuse(`one of ${words.join(', ')}`)

const url = (protocols: string[]) => (value: string) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)
    ? value.replace(/\/+$/, '')
    : refuse(`a URL that starts with ${protocols.join('// or ')}//`)

/** Links are made by putting paths behind it, and buyers see it. */
const publicAddress = (value: string) => {
  const address = url(['http:', 'https:'])(value)
  const { username, password, search, hash } = new URL(address)
  return username || password || search || hash ? refuse('a URL without a name, a password, a query or a fragment') : address
}

/** Read strictly: what a decoder leaves out of a mistyped key would make it another key. */
export const isKey256 = (text: string): boolean => /^[A-Za-z0-9+/]{43}=$/.test(text)

const keys256 = (value: string) =>
  value.split(',').every(isKey256)
    ? value
    : refuse('32 bytes in base64 (openssl rand -base64 32), or several such keys separated by commas, the newest first')

/** What a header can carry. */
const credential = (value: string) => (/^[\x21-\x7e]+$/.test(value) ? value : refuse('a token of ASCII characters without spaces'))

const gatewayId = (value: string) => (/^[a-z0-9-]{1,50}$/.test(value) ? value : refuse('a name of lower-case letters, digits and hyphens'))

const networks = (value: string): readonly Network[] =>
  value
    .split(',')
    .map(
      (each, index) =>
        readNetwork(each.trim()) ??
        refuse(`a list of networks such as 10.20.0.0/16,fd12:3456::/48, without bits beyond their prefix; entry ${index + 1} is none`),
    )

const noNetworks: readonly Network[] = []
/** What a process does; see `ROLE`. */
export type ProcessRole = 'api' | 'worker' | 'all'
const allRoles: ProcessRole = 'all'
const environment: 'sandbox' | 'production' = 'sandbox'
const logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent' = 'info'

/** Every setting of the service. The README's table is held against this one by a test. */
export const definitions = {
  environment: setting<'sandbox' | 'production'>(
    'RAILYARD_ENV',
    oneOf('sandbox', 'production'),
    environment,
    'Simulators and fault switches exist in the sandbox only',
  ),
  role: setting<ProcessRole>(
    'ROLE',
    oneOf('api', 'worker', 'all'),
    allRoles,
    'What this process does: `api` answers requests, `worker` does what comes due by itself, `all` does both. The embedded database has one process, `all`',
  ),
  host: setting('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` in a container'),
  port: setting('PORT', wholeNumber(0, 65_535), 8080, 'Port to listen on; 0 takes a free one'),
  publicUrl: setting<string | undefined>(
    'PUBLIC_URL',
    publicAddress,
    undefined,
    'Where others reach this server, when that is not `http://HOST:PORT`',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    wholeNumber(0, 10),
    0,
    'How many proxies stand in front: a client’s address, by which sign-ins and attempts to pay are limited, is taken from so far back in `X-Forwarded-For`',
  ),
  secondFactor: setting<'required' | 'optional' | undefined>(
    'SECOND_FACTOR',
    oneOf('required', 'optional'),
    undefined,
    'Whether people need an authenticator app: those without one may only set it up; unset: `required` in production, `optional` in the sandbox',
  ),
  dataDir: setting('DATA_DIR', text, './data', 'Folder of the embedded database, the keys and the sandbox’s books'),
  databaseUrl: setting<string | undefined>(
    'DATABASE_URL',
    url(['postgres:', 'postgresql:']),
    undefined,
    'PostgreSQL 15 or newer; unset: the embedded database in `DATA_DIR`',
  ),
  databasePool: setting('DATABASE_POOL_SIZE', wholeNumber(1, 500), 20, 'Connections to PostgreSQL for each process'),
  longestTurn: setting(
    'OVERLOAD_WAIT_MS',
    wholeNumber(0, 2_000),
    250,
    'How long requests may have to wait for this process and its database before those that come are refused (503, `Retry-After: 1`); 0: none is refused',
  ),
  encryptionKey: setting<string | undefined>(
    'ENCRYPTION_KEY',
    keys256,
    undefined,
    '32 bytes in base64, or several such keys separated by commas, the newest first; unset: `DATA_DIR/encryption_key`, made at the first start',
  ),
  instanceId: setting('INSTANCE_ID', gatewayId, 'railyard', 'The name of this instance in events and webhooks (`svc_id`)'),
  kmsUrl: setting<string | undefined>(
    'KMS_URL',
    url(['http:', 'https:']),
    undefined,
    'A key service that holds the encryption key instead; needs `KMS_KEY_ID` and `KMS_TOKEN`',
  ),
  kmsKeyId: setting<string | undefined>('KMS_KEY_ID', text, undefined, 'Name of the key at the key service'),
  kmsToken: setting<string | undefined>('KMS_TOKEN', credential, undefined, 'Bearer token for the key service'),
  providerTimeout: setting(
    'PROVIDER_TIMEOUT_MS',
    wholeNumber(100, 60_000),
    15_000,
    'How long a payment service may take before its answer counts as lost',
  ),
  recoveryInterval: setting('RECOVERY_INTERVAL_MS', wholeNumber(50, 60_000), 1_000, 'How often operations without a known outcome are looked up'),
  idempotencyRetention: setting('IDEMPOTENCY_RETENTION', wholeNumber(1, 3650), 31, 'Days for which idempotency keys are kept'),
  reportRetention: setting('REPORT_RETENTION_DAYS', wholeNumber(1, 3650), 30, 'Days after which the files of reports are erased'),
  monitoringRetention: setting('MONITORING_RETENTION_DAYS', wholeNumber(1, 3650), 90, 'Days for which samples of monitored metrics are kept'),
  cardAttemptsPerAddress: setting(
    'CARD_ATTEMPTS_PER_ADDRESS',
    wholeNumber(0, 10_000),
    60,
    'How often buyers at one address may try to pay in a minute, on payment links, in checkout sessions and with browsers’ tokens; 0: any number of times',
  ),
  cardAttemptsPerBin: setting(
    'CARD_ATTEMPTS_PER_BIN',
    wholeNumber(0, 10_000),
    300,
    'How often buyers’ browsers may give a merchant account cards with the same first six digits in a minute; 0: any number of times',
  ),
  cardNumbersAlike: setting(
    'CARD_NUMBERS_ALIKE',
    wholeNumber(0, 1_000),
    10,
    'How many different card numbers with the same first six and last four digits a merchant account may be given in ten minutes, by servers too; 0: any number',
  ),
  giftCardPins: setting<number | undefined>(
    'GIFT_CARD_PINS',
    wholeNumber(0, 1_000),
    undefined,
    'How many different PINs a merchant account may be given in ten minutes with one gift card number; 0: any number. Unset: 10 in production, any number in the sandbox, where the PIN says what becomes of a card',
  ),
  giftCardNumbersPerAddress: setting(
    'GIFT_CARD_NUMBERS_PER_ADDRESS',
    wholeNumber(0, 10_000),
    30,
    'How many different gift card numbers browsers at one address may give a merchant account in ten minutes; 0: any number',
  ),
  sandboxUrl: setting<string | undefined>(
    'SANDBOX_URL',
    url(['http:']),
    undefined,
    'A simulator in a process of its own; unset: one inside this process',
  ),
  threeDSecureServerUrl: setting<string | undefined>(
    'THREE_DS_SERVER_URL',
    url(['http:', 'https:']),
    undefined,
    'A 3DS server for 3-D Secure; unset: the sandbox’s own, and in production none',
  ),
  threeDSecureServerToken: setting<string | undefined>(
    'THREE_DS_SERVER_TOKEN',
    credential,
    undefined,
    'Bearer token for the 3DS server, where it wants one',
  ),
  googlePayGateway: setting(
    'GOOGLE_PAY_GATEWAY',
    gatewayId,
    'railyard',
    'The id under which Google knows this gateway; its public key is printed by `railyard google-pay-key`',
  ),
  clockSkewLimit: setting(
    'CLOCK_SKEW_LIMIT_MS',
    wholeNumber(0, 3_600_000),
    30_000,
    'How far the clock of this machine and the database server’s may be apart before `/health/ready` says that this process is not ready; 0: as far as it may be',
  ),
  longestTokenLife: setting(
    'TOKEN_LIFETIME_SECONDS',
    wholeNumber(0, 315_360_000),
    0,
    'How long a token may be good, from its `nbf` to its `exp`: a longer one is a 401. 3600 is enough for tokens of servers (30 seconds) and of browsers (an hour); 0: as long as it says',
  ),
  stopDelay: setting(
    'STOP_DELAY_MS',
    wholeNumber(0, 60_000),
    0,
    'How long `/health/ready` answers 503 at a stop before connections are refused, so that load balancers send nobody any more',
  ),
  metricsToken: setting<string | undefined>(
    'METRICS_TOKEN',
    credential,
    undefined,
    'Bearer token for `/metrics`; unset: open in the sandbox, and in production there are none',
  ),
  tracesUrl: setting<string | undefined>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url(['http:', 'https:']),
    undefined,
    'An OpenTelemetry collector (OTLP over HTTP) that traces are sent to; unset: none are made',
  ),
  traceName: setting('OTEL_SERVICE_NAME', text, 'railyard', 'The name of this service in traces'),
  allowedNetworks: setting(
    'ALLOWED_NETWORKS',
    networks,
    noNetworks,
    'Networks that requests to URLs of merchants (webhooks) may go to besides the internet',
  ),
  logLevel: setting<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'>(
    'LOG_LEVEL',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    logLevel,
    'Least severe log line written',
  ),
}

type Definitions = typeof definitions
export type Settings = { [Name in keyof Definitions]: Definitions[Name] extends Setting<infer T> ? T : never }

/** The first is for nothing without the second, whose name may be mistyped. */
const dependentSettings = [
  ['kmsKeyId', 'kmsUrl'],
  ['kmsToken', 'kmsUrl'],
  ['threeDSecureServerToken', 'threeDSecureServerUrl'],
] as const satisfies readonly (readonly [keyof Settings, keyof Settings])[]

/** URLs that are https in production, and what goes there. */
const httpsInProduction = [
  ['publicUrl', 'payment links, sign-ins and notifications lead there'],
  ['kmsUrl', "keys and cardholders' data go there"],
  ['threeDSecureServerUrl', "keys and cardholders' data go there"],
] as const satisfies readonly (readonly [keyof Settings, string])[]

/** A setting that cannot be used; the message names its variable and never repeats its value, which may be a secret. */
export class InvalidSetting extends Error {}

/** For a caller who names settings, where a name that is none is a mistake; an environment holds much that is not ours. Throws `InvalidSetting`. */
export function refuseUnknownSettings(names: readonly string[]): void {
  const known = new Set(Object.values(definitions).map(({ variable }) => variable))
  for (const name of names) if (!known.has(name)) throw new InvalidSetting(`${name} is no setting: ${[...known].join(', ')}`)
}

interface ReadOptions {
  /** Whether `RAILYARD_ENV` must be named: a deployment that forgets it would be a sandbox, and say so in its log alone. */
  environmentRequired?: boolean
}

/** Reads every setting from the environment; an empty variable counts as unset. Throws `InvalidSetting`. */
export function readSettings(env: Record<string, string | undefined>, { environmentRequired = false }: ReadOptions = {}): Settings {
  if (environmentRequired && !env['RAILYARD_ENV'])
    throw new InvalidSetting('RAILYARD_ENV must be set to sandbox or production: this is a deployment, and without it it would be a sandbox')
  const entries = Object.entries(definitions).map(([name, { variable, read, fallback }]) => {
    const value = env[variable]
    if (value === undefined || value === '') return [name, fallback]
    try {
      return [name, read(value)]
    } catch (error) {
      throw new InvalidSetting(`${variable} must be ${error instanceof Error ? error.message : 'valid'}`)
    }
  })
  const settings: Settings = Object.fromEntries(entries)
  if (settings.environment === 'production' && settings.databaseUrl && !settings.encryptionKey && !settings.kmsUrl)
    throw new InvalidSetting('ENCRYPTION_KEY must be set in production on PostgreSQL (or KMS_URL): every process needs the same one')
  for (const [name, why] of httpsInProduction)
    if (settings.environment === 'production' && settings[name] && !isPageUrl(settings[name], 'production'))
      throw new InvalidSetting(`${definitions[name].variable} must be an https URL in production (http is for localhost): ${why}`)
  for (const [partner, needed] of dependentSettings)
    if (settings[partner] !== undefined && settings[needed] === undefined)
      throw new InvalidSetting(`${definitions[partner].variable} is set without ${definitions[needed].variable}, and would be ignored`)
  return settings
}

import type { JsonWebKey } from 'node:crypto'
import type { Network } from '../outgoing/network.ts'
import {
  absoluteFolder,
  credential,
  gatewayId,
  keys256,
  monthsOfRetention,
  names,
  networks,
  oneOf,
  postgresUrl,
  postgresUrls,
  publicAddress,
  publicKeys,
  text,
  url,
  urlsByName,
  webOrigin,
  wholeNumber,
} from './read-value.ts'

/**
 * A setting: its environment variable, the function that reads the variable's text, its default, its meaning,
 * and the page below docs that says more.
 */
export interface Setting<T> {
  variable: string
  read: (text: string) => T
  fallback: T
  meaning: string
  page: string | undefined
}

const setting = <T>(
  variable: string,
  read: (text: string) => T,
  fallback: T,
  meaning: string,
  page?: string,
): Setting<T> => ({
  variable,
  read,
  fallback,
  meaning,
  page,
})

/**
 * What a process does: the setting `ROLE`. The roles of people and key pairs are another thing
 * (accounts/roles/role.ts).
 */
export type ProcessRole = 'api' | 'worker' | 'all'

/** The URL of a fake for each provider of cards that it stands for. */
type ProviderUrls = Readonly<Partial<Record<'stripe' | 'adyen' | 'checkout' | 'mollie', string>>>

const defaultProcessRole: ProcessRole = 'all'
const noNetworks: readonly Network[] = []
const noNames: readonly string[] = []
const environment: 'sandbox' | 'production' = 'sandbox'
const logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent' = 'info'

/** Every setting of the service; docs/reference/settings.md is made of it. */
export const definitions = {
  environment: setting<'sandbox' | 'production'>(
    'RAILYARD_ENV',
    oneOf('sandbox', 'production'),
    environment,
    '`sandbox` or `production`; the image refuses to start without it. Simulators and fault switches exist in the sandbox only, live credentials of payment services in production only. A database belongs to the environment in which it was first started',
  ),
  processRole: setting<ProcessRole>(
    'ROLE',
    oneOf('api', 'worker', 'all'),
    defaultProcessRole,
    'What this process does: `api` answers requests, `worker` does the background work, `all` does both. The embedded database has one process, `all`',
    'guides/scaling.md',
  ),
  host: setting('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` in a container'),
  port: setting('PORT', wholeNumber(0, 65_535), 8080, 'Port to listen on; 0 takes a free one'),
  publicUrl: setting<string | undefined>(
    'PUBLIC_URL',
    publicAddress,
    undefined,
    'The URL at which clients, buyers and payment services reach this server, if it is not `http://HOST:PORT`. With a path, a proxy has to take the path off',
  ),
  elementsOrigin: setting<string | undefined>(
    'ELEMENTS_ORIGIN',
    webOrigin,
    undefined,
    'The origin of the card fields in merchants’ pages, such as `https://fields.example`: a host of its own that leads to this server. Unset: card fields are served below `PUBLIC_URL`',
    'guides/card-fields.md',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    wholeNumber(0, 10),
    0,
    'How many proxies stand in front of this server: the client’s address, by which sign-ins and payment attempts are limited, is taken that many places from the end of `X-Forwarded-For`',
  ),
  secondFactor: setting<'required' | 'optional' | undefined>(
    'SECOND_FACTOR',
    oneOf('required', 'optional'),
    undefined,
    'Whether people need an authenticator app or a passkey; with `required`, a person without one can only set it up. Unset: `required` in production, `optional` in the sandbox',
    'operations/people.md#require-a-second-factor',
  ),
  cardNumbers: setting<'accept' | 'refuse'>(
    'CARD_NUMBERS',
    oneOf('accept', 'refuse'),
    'accept',
    '`refuse`: every request with a card number gets 400, and buyers’ cards reach providers through the providers’ own scripts (`provider-token`)',
    'guides/card-form-in-a-browser.md',
  ),
  dataDir: setting(
    'DATA_DIR',
    text,
    './data',
    'Folder of the embedded database, the keys and the sandbox’s books',
  ),
  databaseUrl: setting<string | undefined>(
    'DATABASE_URL',
    postgresUrl,
    undefined,
    'PostgreSQL 15 or newer; several hosts, separated by commas: the one that takes writes is used; unset: the embedded database in `DATA_DIR`',
    'operations/high-availability.md',
  ),
  databaseReplicaUrls: setting<readonly string[] | undefined>(
    'DATABASE_REPLICA_URLS',
    postgresUrls,
    undefined,
    'Read replicas: URLs of standbys of the server of `DATABASE_URL`, separated by commas or spaces. Lists, insights and reports are read from them, and never show less than the primary would; unset: everything is read from the primary',
    'operations/read-replicas.md',
  ),
  databasePool: setting(
    'DATABASE_POOL_SIZE',
    wholeNumber(1, 500),
    20,
    'Connections to PostgreSQL for each process, and to each read replica',
  ),
  overloadWait: setting(
    'OVERLOAD_WAIT_MS',
    wholeNumber(0, 2_000),
    250,
    'When a new request would wait longer than this for the process and its database, it is refused (503, `Retry-After: 1`); 0: none is refused',
  ),
  encryptionKey: setting<string | undefined>(
    'ENCRYPTION_KEY',
    keys256,
    undefined,
    '32 bytes in base64, or several such keys separated by commas, the newest first; unset: `DATA_DIR/encryption_key`, which the first start creates. Required in production on PostgreSQL. A key other than the one that the database was made with is refused',
    'operations/keys.md',
  ),
  instanceId: setting(
    'INSTANCE_ID',
    gatewayId,
    'railyard',
    'The name of this instance in events and webhooks (`svc_id`)',
  ),
  kmsUrl: setting<string | undefined>(
    'KMS_URL',
    url(['http:', 'https:']),
    undefined,
    'A key service that has the encryption key; needs `KMS_KEY_ID` and `KMS_TOKEN`',
    'operations/keys.md',
  ),
  kmsKeyId: setting<string | undefined>('KMS_KEY_ID', text, undefined, 'Name of the key at the key service'),
  kmsToken: setting<string | undefined>(
    'KMS_TOKEN',
    credential,
    undefined,
    'Bearer token for the key service',
  ),
  providerTimeout: setting(
    'PROVIDER_TIMEOUT_MS',
    wholeNumber(100, 60_000),
    15_000,
    'How long a payment service may take before its answer counts as lost',
  ),
  recoveryInterval: setting(
    'RECOVERY_INTERVAL_MS',
    wholeNumber(50, 60_000),
    1_000,
    'How often each background task looks for work that is due, such as operations whose outcome is unknown',
  ),
  idempotencyRetention: setting(
    'IDEMPOTENCY_RETENTION',
    wholeNumber(1, 3650),
    31,
    'Days for which idempotency keys are kept',
  ),
  reportRetention: setting(
    'REPORT_RETENTION_DAYS',
    wholeNumber(1, 3650),
    30,
    'Days for which the files of reports are kept',
    'guides/reports.md',
  ),
  monitoringRetention: setting(
    'MONITORING_RETENTION_DAYS',
    wholeNumber(1, 3650),
    90,
    'Days for which samples of monitored metrics are kept',
  ),
  noticeRetention: setting(
    'NOTICE_RETENTION_DAYS',
    wholeNumber(1, 3650),
    90,
    'Days for which verified notifications of payment services are kept. Those about an operation without an outcome are kept until it has one',
    'concepts/unknown-outcomes.md',
  ),
  partitionRows: setting(
    'PARTITION_ROWS',
    wholeNumber(0, 10_000_000_000),
    10_000_000,
    'How many payments the tables of payments have before they are divided into partitions of whole months, and how many a partition should have; 0: they stay undivided',
    'operations/partitions.md',
  ),
  retentionMonths: setting(
    'RETENTION_MONTHS',
    monthsOfRetention,
    0,
    'Months for which payments are kept, 14 or more; 0: for ever. Older ones are removed with the partitions of their tables',
    'operations/partitions.md#retire-old-payments',
  ),
  archiveDir: setting<string | undefined>(
    'ARCHIVE_DIR',
    absoluteFolder,
    undefined,
    'Folder for Parquet files with the payments that `RETENTION_MONTHS` removes, which reports go on reading; an absolute path, the same files for every process. Unset: no files',
    'operations/archive.md',
  ),
  cardAttemptsPerAddress: setting(
    'CARD_ATTEMPTS_PER_ADDRESS',
    wholeNumber(0, 10_000),
    60,
    'How many payment attempts buyers at one address may make in a minute, on payment links, in checkout sessions and with browser tokens; 0: any number. Behind a proxy it needs `TRUSTED_PROXIES`',
    'operations/card-testing.md',
  ),
  cardAttemptsPerBin: setting(
    'CARD_ATTEMPTS_PER_BIN',
    wholeNumber(0, 10_000),
    300,
    'How many cards with the same first six digits buyers’ browsers may send to a merchant account in a minute; 0: any number',
  ),
  cardNumbersAlike: setting(
    'CARD_NUMBERS_ALIKE',
    wholeNumber(0, 1_000),
    10,
    'How many different card numbers with the same first six and last four digits browsers and servers may send to a merchant account in ten minutes; 0: any number',
  ),
  giftCardPins: setting<number | undefined>(
    'GIFT_CARD_PINS',
    wholeNumber(0, 1_000),
    undefined,
    'How many different PINs clients may send to a merchant account in ten minutes with one gift card number; 0: any number. Unset: 10 in production, any number in the sandbox, where the PIN selects the result',
  ),
  giftCardNumbersPerAddress: setting(
    'GIFT_CARD_NUMBERS_PER_ADDRESS',
    wholeNumber(0, 10_000),
    30,
    'How many different gift card numbers browsers at one address may send to a merchant account in ten minutes; 0: any number',
  ),
  connectors: setting(
    'CONNECTORS',
    names,
    noNames,
    'Packages with more connectors, separated by commas: names of npm packages that are installed beside Railyard, or paths that begin with `./`, `../` or `/`',
    'guides/write-a-connector.md',
  ),
  sandboxUrl: setting<string | undefined>(
    'SANDBOX_URL',
    url(['http:']),
    undefined,
    'Sandbox only: the URL of a simulator in a process of its own (`railyard sandbox`); unset: one inside this process',
  ),
  providerUrls: setting<ProviderUrls | undefined>(
    'PROVIDER_URLS',
    urlsByName('stripe', 'adyen', 'checkout', 'mollie'),
    undefined,
    'Sandbox only: URLs that replace the hosts of `stripe`, `adyen`, `checkout` and `mollie`, such as `stripe=http://127.0.0.1:4242`, for fakes of these providers (`npm run fake`)',
    'guides/first-payment-with-stripe.md',
  ),
  agenticCommerceKeys: setting<readonly JsonWebKey[]>(
    'AGENTIC_COMMERCE_KEYS',
    publicKeys,
    [],
    'The public keys of AI agents’ platforms, as a JWK set; a delegated payment and a checkout session must then be signed by one. Unset: signatures are not checked',
    'guides/agentic-commerce.md',
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
    'Bearer token for the 3DS server, if it needs one',
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
    'How far the clocks of this machine and of the database server may be apart before `/health/ready` says that this process is not ready; 0: no limit',
  ),
  tokenLifetime: setting(
    'TOKEN_LIFETIME_SECONDS',
    wholeNumber(0, 315_360_000),
    0,
    'The longest lifetime of a token, from its `nbf` to its `exp`: a longer one is refused with 401. 3600 is enough for the tokens of servers (30 seconds) and of browsers (an hour); 0: no limit',
  ),
  stopDelay: setting(
    'STOP_DELAY_MS',
    wholeNumber(0, 60_000),
    0,
    'How long `/health/ready` answers 503 at a stop before connections are refused, so that load balancers send no more requests; also what `Keep-Alive` promises to clients',
  ),
  metricsToken: setting<string | undefined>(
    'METRICS_TOKEN',
    credential,
    undefined,
    'Bearer token for `/metrics`; unset: no token is needed in the sandbox, and there are no metrics in production',
  ),
  tracesUrl: setting<string | undefined>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url(['http:', 'https:']),
    undefined,
    'An OpenTelemetry collector (OTLP over HTTP) that receives traces; unset: no traces',
  ),
  traceName: setting('OTEL_SERVICE_NAME', text, 'railyard', 'The name of this service in traces'),
  allowedNetworks: setting(
    'ALLOWED_NETWORKS',
    networks,
    noNetworks,
    'Networks besides the internet to which requests to merchants’ URLs (webhooks) may go, such as `10.20.0.0/16,fd12:3456::/48`',
    'operations/outgoing.md',
  ),
  logLevel: setting<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'>(
    'LOG_LEVEL',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    logLevel,
    'The least severe log lines that are written',
  ),
}

import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Cipher } from './base/cipher.ts'
import type { Clock } from './base/clock.ts'
import type { Ids } from './base/ids.ts'
import type { Metrics } from './base/metrics.ts'
import type { PendingRequests } from './base/pending-requests.ts'
import type { Tracing } from './base/tracing.ts'
import type { ProviderHttp } from './connectors/http.ts'
import type { AntiFraudConnectors, Connectors, GiftCardConnectors, SchemeServices } from './connectors/registry.ts'
import type { Cache } from './database/cache.ts'
import type { Changes } from './database/changes.ts'
import type { Connections } from './database/connections.ts'
import type { Statements } from './database/statements.ts'
import type { Tables } from './database/tables.ts'
import type { EventTargets } from './events/event-target.ts'
import type { MerchantHttp } from './outgoing/merchant-http.ts'
import type { CallCounts } from './payment-services/health/call-counts.ts'
import type { Settings } from './settings.ts'
import type { CardTesting } from './vault/cards/card-testing.ts'
import type { KeyProvider } from './vault/keys/key-provider.ts'
import type { LoadedRootSecrets } from './vault/keys/root-secret.ts'

/** What every part of the service works with, handed in as the first argument: nothing reaches for the time, the network or the database itself. */
export interface World {
  settings: Settings
  /** The time of the merchant account on whose behalf code runs (`account-time.ts`); in production, and for an account whose clock nobody moved, the instance's. */
  clock: Clock
  /** The time of the instance: the database server's, which all processes share. For what no account's moved clock may change: tokens, signatures, leases, and what tells of a process. */
  machineClock: Clock
  ids: Ids
  cipher: Cipher
  /** What the cipher is derived from. */
  rootSecrets: LoadedRootSecrets
  /** Holds the master keys of what the vault encrypts. */
  keys: KeyProvider
  /** Outgoing HTTP to payment services. */
  http: ProviderHttp
  /** Outgoing HTTP to where merchants want to be told. */
  merchantHttp: MerchantHttp
  connectors: Connectors
  giftCardConnectors: GiftCardConnectors
  antiFraudConnectors: AntiFraudConnectors
  /** The schemes' own services. */
  schemes: SchemeServices
  /** Makes whole what events keep of resources. */
  eventTargets: EventTargets
  db: Kysely<Tables>
  run: Statements
  changes: Changes
  cache: Cache
  /** What this process's calls to payment services came to, until the others are told. */
  callCounts: CallCounts
  log: Logger
  metrics: Metrics
  /** Notices callers that try card numbers. */
  cardTesting: CardTesting
  tracing: Tracing
  /** The requests that this process has taken on. */
  pendingRequests: PendingRequests
  /** How many connections to the database this process has. */
  connections: () => Connections
  /** True while the database answers nobody. */
  isDatabaseUnavailable: () => boolean
  /** Milliseconds by which the clock of this machine is ahead of the database server's. */
  clockSkew: () => number
  /** True from when this process was told to stop. */
  stopping: boolean
  /** Where others reach this server: the base of links and notification URLs. */
  publicUrl: string
}

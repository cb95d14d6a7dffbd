import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Cipher } from './base/cipher.ts'
import type { Clock } from './base/clock.ts'
import type { Ids } from './base/ids.ts'
import type { Metrics } from './base/metrics.ts'
import type { PendingRequests } from './base/pending-requests.ts'
import type { Tracing } from './base/tracing.ts'
import type {
  AntiFraudConnectors,
  Connectors,
  GiftCardConnectors,
  SchemeServices,
} from './connectors/registry.ts'
import type { ProviderHttp } from './connectors/wire/http.ts'
import type { Cache } from './database/cache.ts'
import type { Changes } from './database/changes.ts'
import type { Connections } from './database/connections.ts'
import type { PaymentPartitions } from './database/partitions/payment-partitions.ts'
import type { ReadReplicas } from './database/replicas/read-replicas.ts'
import type { Statements } from './database/statements.ts'
import type { Tables } from './database/tables.ts'
import type { EventTargets } from './events/event-target.ts'
import type { ReadOrderDeliveries } from './events/order-delivery.ts'
import type { MerchantHttp } from './outgoing/merchant-http.ts'
import type { CallCounts } from './payment-services/health/call-counts.ts'
import type { Settings } from './settings.ts'
import type { CardTesting } from './vault/cards/card-testing.ts'
import type { KeyProvider } from './vault/keys/key-provider.ts'
import type { LoadedRootSecrets } from './vault/keys/root-secret.ts'

/**
 * The dependencies of every part of the service, which are passed as the first argument: no code uses the
 * time, the network or the database by itself.
 */
export interface World {
  settings: Settings
  /**
   * The time of the merchant account for which code runs (`base/account-clock.ts`). In production, and for an
   * account whose clock was not moved, it is the instance's.
   */
  clock: Clock
  /**
   * The time of the instance: the database server's, which all processes share. For everything that an
   * account's moved clock must not change: tokens, signatures, leases, processes.
   */
  machineClock: Clock
  ids: Ids
  cipher: Cipher
  /** The cipher's keys are derived from these. */
  rootSecrets: LoadedRootSecrets
  /** The master keys, which wrap the data keys of the vault. */
  keys: KeyProvider
  /** Outgoing HTTP to payment services. */
  http: ProviderHttp
  /** Outgoing HTTP to URLs of merchants: webhook receivers and their token servers. */
  merchantHttp: MerchantHttp
  connectors: Connectors
  giftCardConnectors: GiftCardConnectors
  antiFraudConnectors: AntiFraudConnectors
  /** The card schemes' own services. */
  schemes: SchemeServices
  /** Whether every running process reads packed JSON (`operations/journal/packed-json.ts`), so that rows may have it. */
  packedJson: { isReadByAll: boolean }
  /** Completes the targets of events, which are stored in part. */
  eventTargets: EventTargets
  /** What platforms are sent of orders of agentic checkouts. */
  orderDeliveries: ReadOrderDeliveries
  db: Kysely<Tables>
  run: Statements
  /** Which partitions `run` takes payments to be in. */
  partitions: Pick<PaymentPartitions, 'load'>
  /** `database/replicas/read-from-replica.ts` reads from them. */
  replicas: ReadReplicas
  changes: Changes
  cache: Cache
  /** The results of this process's calls to payment services, until they are written to the database. */
  callCounts: CallCounts
  log: Logger
  metrics: Metrics
  /** Detects clients that try card numbers. */
  cardTesting: CardTesting
  tracing: Tracing
  /** The requests that this process has begun and not answered yet. */
  pendingRequests: PendingRequests
  /** How many connections to the database this process has. */
  connections: () => Connections
  /** True while the database does not answer. */
  isDatabaseUnavailable: () => boolean
  /** Milliseconds by which the clock of this machine is ahead of the database server's. */
  clockSkew: () => number
  /** True once this process is told to stop. */
  stopping: boolean
  /** The URL at which this server is reached: the base of links and notification URLs. */
  publicUrl: string
}

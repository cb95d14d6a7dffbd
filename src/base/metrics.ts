import { Counter, Histogram, Registry } from 'prom-client'

/**
 * The counters of a process, and durations in seconds. The values of labels are Railyard's or a definition's
 * words, never an id or a merchant's text, so that their number stays small (docs/operations/metrics.md).
 */
export interface Metrics {
  registry: Registry
  /** `route` is the pattern of the path, such as `/transactions/:transaction_id`. */
  requestAnswered(answered: { method: string; route: string; status: number }, seconds: number): void
  /**
   * A payment is decided: its intent has succeeded, or can succeed no more. `method` and `definition` are
   * `none` without a payment service.
   */
  paymentDecided(payment: { outcome: PaymentOutcome; method: string; definition: string }): void
  /**
   * An operation got an outcome. An outcome that is `unknown` or `pending` at first is counted again when it
   * is decided.
   */
  outcomeRecorded(operation: { kind: string; definition: string; outcome: string }): void
  providerAnswered(call: ProviderCall & { result: ProviderResult }, seconds: number): void
  /** An idempotent replay. */
  answerReplayed(): void
  /** A request was refused because it would have waited too long. */
  requestShed(): void
  /** A read that a replica may answer; all but `replica` were answered by the primary. */
  replicaRead(result: string): void
  webhookDelivered(result: 'succeeded' | 'failed', seconds: number): void
  /** `reason` is one of Railyard's words, such as `password`. */
  signInFailed(reason: string): void
  /** A client seems to try card numbers. */
  cardTestingSuspected(signal: CardTestingSignal): void
  /** The books of a payment service told, or did not tell, of another outcome of a decided operation. */
  lateOutcome(result: LateOutcomeResult): void
  /** A round that divides tables and retires payments has failed. */
  partitioningFailed(): void
  /** A source of gauges did not answer a scrape in time. */
  scrapeFailed(source: string): void
}

export type PaymentOutcome = 'succeeded' | 'declined' | 'failed' | 'canceled'

/**
 * `address`, `bin`: more attempts than the limit allows. `numbers_alike`: many numbers with the same first
 * and last digits. `payment_link`: a link has taken its last decline. `gift_card_pins`: many PINs for one
 * gift card. `gift_card_numbers`: many gift cards from one address.
 */
export type CardTestingSignal =
  | 'address'
  | 'bin'
  | 'numbers_alike'
  | 'payment_link'
  | 'gift_card_pins'
  | 'gift_card_numbers'

/**
 * `approved`: a payment that had failed was approved, and is compensated. `compensated`: its money is given
 * back. `compensation_refused`: it is not, and a person has to. `taken_back`: a success has failed. `conflict`:
 * it has, and what was captured is needed for refunds or disputes. `paid_out`: a payout that had failed was
 * paid, which a person has to settle with the merchant. `unsure`: the books did not tell in a day.
 */
export const lateOutcomeResults = [
  'approved',
  'compensated',
  'compensation_refused',
  'taken_back',
  'conflict',
  'paid_out',
  'unsure',
] as const
export type LateOutcomeResult = (typeof lateOutcomeResults)[number]

/** A call to a provider: the definition of its service, and the operation in Railyard's words. */
export interface ProviderCall {
  definition: string
  operation: string
}

/** `failed`: a 5xx. `lost`: sent, and no readable answer. `unsent`: nothing was sent. */
export type ProviderResult = 'answered' | 'failed' | 'lost' | 'unsent'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const OUTGOING_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]

/** The metrics of one process. They have their own registry, so that tests do not count together. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'railyard_http_request_duration_seconds',
    help: 'Requests to the API, from their headers to the end of their answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const payments = new Counter({
    name: 'railyard_payments_total',
    help: 'Payments that were decided',
    labelNames: ['outcome', 'method', 'definition'],
    registers,
  })
  const operations = new Counter({
    name: 'railyard_operations_total',
    help: 'Outcomes of operations',
    labelNames: ['kind', 'definition', 'outcome'],
    registers,
  })
  const providers = new Histogram({
    name: 'railyard_provider_request_duration_seconds',
    help: 'Requests to providers',
    labelNames: ['definition', 'operation', 'result'],
    buckets: OUTGOING_SECONDS,
    registers,
  })
  const replays = new Counter({
    name: 'railyard_idempotent_replays_total',
    help: 'Requests that were answered what an earlier one was',
    registers,
  })
  const shed = new Counter({
    name: 'railyard_requests_shed_total',
    help: 'Requests that were refused because there was too much to do',
    registers,
  })
  const replicaReads = new Counter({
    name: 'railyard_replica_reads_total',
    help: 'Reads that a read replica may answer, by what became of them',
    labelNames: ['result'],
    registers,
  })
  const webhooks = new Histogram({
    name: 'railyard_webhook_delivery_duration_seconds',
    help: 'Attempts to deliver an event to a webhook subscription',
    labelNames: ['result'],
    buckets: OUTGOING_SECONDS,
    registers,
  })
  const signIns = new Counter({
    name: 'railyard_sign_in_failures_total',
    help: 'Sign-ins that were refused',
    labelNames: ['reason'],
    registers,
  })
  const cardTesting = new Counter({
    name: 'railyard_card_testing_total',
    help: 'Signs of card testing',
    labelNames: ['signal'],
    registers,
  })
  const lateOutcomes = new Counter({
    name: 'railyard_late_outcomes_total',
    help: 'Outcomes of operations that came after they were decided',
    labelNames: ['result'],
    registers,
  })
  // an alert sees the first one only if it grows from 0
  for (const result of lateOutcomeResults) lateOutcomes.inc({ result }, 0)
  const partitioning = new Counter({
    name: 'railyard_partitioning_failures_total',
    help: 'Rounds in which tables could not be divided, or payments not be retired',
    registers,
  })
  const scrapes = new Counter({
    name: 'railyard_scrape_errors_total',
    help: 'What a scrape could not find out in time',
    labelNames: ['source'],
    registers,
  })
  return {
    registry,
    requestAnswered: (answered, seconds) => requests.observe(answered, seconds),
    paymentDecided: (payment) => payments.inc(payment),
    outcomeRecorded: (operation) => operations.inc(operation),
    providerAnswered: (call, seconds) => providers.observe(call, seconds),
    answerReplayed: () => replays.inc(),
    requestShed: () => shed.inc(),
    replicaRead: (result) => replicaReads.inc({ result }),
    webhookDelivered: (result, seconds) => webhooks.observe({ result }, seconds),
    signInFailed: (reason) => signIns.inc({ reason }),
    cardTestingSuspected: (signal) => cardTesting.inc({ signal }),
    lateOutcome: (result) => lateOutcomes.inc({ result }),
    partitioningFailed: () => partitioning.inc(),
    scrapeFailed: (source) => scrapes.inc({ source }),
  }
}

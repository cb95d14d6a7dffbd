import type { TransactionAction } from './action.schema.ts'

/**
 * What a payment service gets of a stored card: its number, its network token, or the service's own token.
 */
export type RouteInstrument = 'pan' | 'network_token' | 'service_token'

/** The reason for skipping a step that requires an instrument which is missing. */
export const lackingInstrument: Readonly<Record<RouteInstrument, string>> = {
  pan: 'there is no card number',
  network_token: 'there is no network token of the card',
  service_token: 'the payment service has no token of the card',
}

/** The reason for leaving out a step after as many attempts as the rule allows (`retries.maximum`). */
export const beyondMaximum = 'is beyond the attempts that the rule allows'

/** One attempt that a route allows. */
export interface RouteStep {
  payment_service_id: string
  /** Null: the best instrument available (semantics §5.3, §5.4). */
  instrument: RouteInstrument | null
}

/**
 * The order in which payment services are tried, and the reason. It depends only on the rules, the facts and
 * the eligible services, so it can be replayed.
 */
export interface Route {
  steps: readonly RouteStep[]
  /** How many of the steps may be made. A step that cannot be made does not count. */
  attemptsLeft: number
  /** The refusals after which the next step is tried; null: every retriable one (semantics §3.10). */
  retriesOn: readonly string[] | null
  /** The decision as transactions show it; null: no rule matched. */
  action: TransactionAction | null
}

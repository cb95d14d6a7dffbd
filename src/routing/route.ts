import type { TransactionAction } from './action.schema.ts'

/** How a stored card is shown to a payment service: its number, its network token, or the service's own token. */
export type RouteInstrument = 'pan' | 'network_token' | 'service_token'

/** Why a step was passed over that asks for an instrument which there is none of. */
export const lackingInstrument: Readonly<Record<RouteInstrument, string>> = {
  pan: 'there is no card number',
  network_token: 'there is no network token of the card',
  service_token: 'the payment service has no token of the card',
}

/** One attempt that a route allows. */
export interface RouteStep {
  payment_service_id: string
  /** Null: the best that there is (SEMANTICS §5.3, §5.4). */
  instrument: RouteInstrument | null
}

/** The order in which payment services are asked, and why. A function of the rules, the facts and what was eligible alone, so that it can be replayed. */
export interface Route {
  steps: readonly RouteStep[]
  /** The refusals after which the next step is tried; null: every retriable one (SEMANTICS §3.10). */
  retriesOn: readonly string[] | null
  /** The decision as transactions show it; null: no rule had a say. */
  action: TransactionAction | null
}

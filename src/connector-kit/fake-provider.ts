import type { OperationKind, PaymentContext } from '../connectors/contract/call.ts'
import type { NotificationForCall } from '../connectors/contract/connector.ts'
import type { HttpRequest } from '../connectors/wire/http-message.ts'

/** What a fake provider answers. */
export interface FakeAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  /** JSON; absent: an empty body. With another `content-type` in `headers`, the text of the body. */
  body?: unknown
}

/**
 * A movement of money in the fake's books. `key`: what identifies the operation that caused it: Railyard's id
 * of the operation, from the idempotency key, the reference or the metadata of the request. A `cancel` under
 * the key of another kind of operation is the connector's: it closed the operation, and what that had held is
 * released.
 */
export interface FakeEffect {
  key: string
  kind: Exclude<OperationKind, 'approval'>
  /** The provider's id of the payment. */
  payment: string
  /** In the smallest unit of `currency`; of an increment, what was added. */
  amount: number
  currency: string
}

/** How a buyer ends their visit to the provider's page. */
export type BuyerDecision = 'approve' | 'decline' | 'abandon'

/**
 * A provider in memory: small, stateful, and strict. It refuses what the provider's contract refuses, keeps
 * idempotency keys as long as the provider does, and never moves money twice for one key. It is written from
 * the contract, not from the connector.
 */
export interface FakeProvider {
  /** Answers one request. The harness loses, delays and garbles answers around it. */
  receive(request: HttpRequest): FakeAnswer
  /** Every movement of money, oldest first. */
  effects(): readonly FakeEffect[]
  /** The notifications that are due, oldest first, each once; signed as the provider signs them. */
  takeNotifications(): NotificationForCall[]
  /**
   * The buyer's visit to the page of a pending outcome's `approval.url`; answers the query parameters with
   * which their browser comes back. Absent: the provider never sends a buyer anywhere.
   */
  visit?(url: string, decision: BuyerDecision): Record<string, string>
  /**
   * The provider's script in the merchant's page, with a pending outcome's `approval.sessionData`; answers what
   * the page sends on. Absent: the provider has no such script.
   */
  runScript?(sessionData: Readonly<Record<string, unknown>>, decision: BuyerDecision): Record<string, unknown>
  /**
   * A notification about a payment that Railyard did not make, signed as the provider signs it. Absent: the
   * provider sends none, because each notification goes to the URL of one payment.
   */
  foreignNotification?(): NotificationForCall
  /** Time passes at the provider: keys are forgotten, authorizations and approvals expire. */
  advance(ms: number): void
  /**
   * The provider's time, in milliseconds: the ids of the suite's operations are of it. Absent: the suite's own
   * time, for a connector and a fake that read no clock.
   */
  now?(): number
}

/** What the suite pays with, each as the parts of a payment's context that differ. */
export interface SuiteInstruments {
  approved: Partial<PaymentContext>
  declined: Partial<PaymentContext>
  /** The provider demands that the cardholder is authenticated; absent: it never does. */
  challenged?: Partial<PaymentContext>
  /**
   * The authorization stays pending, so that it can be cancelled; by its amount, where the provider decides by
   * that. Absent: the challenged one is cancelled, if there is one.
   */
  pending?: Partial<PaymentContext> & { amount?: number }
}

/** What the suite needs to run a connector against a provider. */
export interface ConnectorUnderTest {
  /** A provider with empty books. */
  provider: () => FakeProvider
  fields: Readonly<Record<string, string>>
  /** A currency that the provider takes. */
  currency: string
  instruments: SuiteInstruments
  /**
   * False: the provider does not sign its notifications, so that they may lead to a look-up and to nothing
   * else. Absent: it signs them, and a changed one is forged.
   */
  signsNotifications?: false
  /**
   * How long the provider remembers an idempotency key, in milliseconds, as it documents it and the fake does:
   * the suite sends operations again after that. Absent: for ever.
   */
  keyLifeMs?: number
  /**
   * Changes of a notification that its signature must not survive. Absent: one digit of its text is another
   * one, or its headers are gone, for a provider that signs the whole text in a header.
   */
  forgeriesOf?: (message: NotificationForCall) => readonly NotificationForCall[]
  /**
   * The checks that the provider's own rules make impossible, by name, each with the reason. Such a check must
   * fail: one that passes is reported, so that the table stays true.
   */
  impossible?: Readonly<Record<string, string>>
}

import type { ErrorCode } from '../../connectors/contract/error-codes.ts'
import type { InstrumentType } from '../../connectors/contract/method.schema.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'
import type { NewerCard } from '../../vault/account-updater/card-replacement.ts'
import type { OperationPlan } from '../new-operation.ts'
import type { RequestState } from './request-state.ts'

/**
 * Everything that can follow the outcome of an operation by itself. What a merchant, a buyer or a reviewer
 * does later is a new request. Each step but `done` and `challenge` names the operation that is intended in
 * the commit that records the outcome, so that a process may die between the two.
 */
export type NextStep =
  /** Nothing follows: the transaction is decided, or the merchant, the buyer or recovery continues it. */
  | { kind: 'done' }
  /**
   * The card's issuer asks the cardholder: the request's state is sealed until they are back at
   * `redirectUrl`. `expiresAt`: ISO 8601.
   */
  | { kind: 'challenge'; expiresAt: string; redirectUrl: string }
  /** The screening let the payment pass, and the card's issuer is to be asked before the money step. */
  | { kind: 'authenticate'; operation: OperationPlan }
  /**
   * The next operation of the same payment: the buyer's approval, the money step, the capture of a split
   * payment, a gift card's redemption.
   */
  | { kind: 'continue'; operation: OperationPlan }
  /** A part of the payment was refused: what took effect before it is given back. */
  | { kind: 'compensate'; operation: OperationPlan }
  /**
   * The issuer refused the card as replaced, and the account updater knows the newer one: it is sent to the
   * same payment service, once.
   */
  | { kind: 'retry-with-newer-card'; operation: OperationPlan; card: NewerCard }
  /**
   * The payment service refused because the cardholder was not authenticated (a soft decline): the issuer is
   * asked, and then it is sent again, once.
   */
  | { kind: 'retry-authenticated'; operation: OperationPlan }
  /** The payment service refused with `because`, which another one may not: the payment goes to that one. */
  | { kind: 'retry-at-another-service'; because: ErrorCode; at: AnotherService; operation: OperationPlan }
  /**
   * The authorization had expired when it was captured: a new transaction authorizes again, and is captured
   * instead.
   */
  | { kind: 'renew-authorization' }

/** The retries: the outcome before them is no outcome of the transaction. */
export type Retry = Extract<NextStep, { kind: `retry-${string}` }>

export const isRetry = (next: NextStep): next is Retry => next.kind.startsWith('retry-')

/** What an attempt is paid with, and what rules decided about it. */
export interface AttemptInstrument {
  /** Null: as before. */
  type: InstrumentType | null
  /** What the transaction shows of a card that replaces the refused one; null: none does. */
  card: object | null
  actions?: readonly TransactionAction[]
}

/** Where a refused payment can go next, and as what it is presented there. */
export interface AnotherService {
  service: ConfiguredService
  instrument: AttemptInstrument | undefined
  /** The request's state from then on. */
  requestState: RequestState
  /** It wants the card's issuer to be asked first. */
  needsAuthentication: boolean
}

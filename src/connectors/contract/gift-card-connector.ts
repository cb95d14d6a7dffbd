import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { StoredNotice } from './call.ts'
import type { FieldDefinition, NotificationForCall, NotificationSubject } from './connector.ts'
import type { GiftCardErrorCode } from './gift-card-error-codes.ts'
import type { BookFinding, UnknownOutcome } from './outcome.ts'

/** The operations of a gift card service. A balance inquiry changes nothing and is not among them. */
export type GiftCardOperationKind = 'redeem' | 'reverse' | 'refund' | 'activate' | 'issue'

/** A gift card for one call. It exists in memory only. */
export interface GiftCardForCall {
  number: string
  /** Null only on activation: some cards have no PIN before they are activated. */
  pin: string | null
}

/**
 * An operation as a connector sees it; its `id` is the idempotency key, the same whenever the operation is
 * sent. Amounts are in the smallest unit of `currency`. `redemption` is the service's own id of the
 * redemption that is reversed or refunded.
 */
export type GiftCardOperationForCall = { id: string } & (
  | { kind: 'redeem'; card: GiftCardForCall; amount: number; currency: string }
  /**
   * Undoes a redemption: its remaining `amount` goes back to the card. `redeemed` is its whole amount, with what
   * refunds have put back.
   */
  | { kind: 'reverse'; redemption: string; amount: number; currency: string; redeemed: number }
  /** Puts part of a redemption back on its card. */
  | { kind: 'refund'; redemption: string; amount: number; currency: string }
  /** Null amount and currency: the card gets the value that it was sold for. */
  | {
      kind: 'activate'
      card: GiftCardForCall
      amount: number | null
      currency: string | null
      reference: string | null
    }
  /** Makes a virtual card of one of the service's designs. */
  | { kind: 'issue'; theme: string; amount: number; currency: string; reference: string | null }
)

/** A card in the service's books. */
export interface GiftCardState {
  balance: number
  /** Null if the card is not bound to one. */
  currency: string | null
  /** ISO 8601; null: never. */
  expirationDate: string | null
}

/** A refusal: our code, and the service's code and message. */
export interface GiftCardRefusal {
  code: GiftCardErrorCode
  rawCode: string | null
  rawMessage: string | null
}

/**
 * What the gift card service did with an operation. `failed`, `unprocessed` and `unknown` mean what they mean
 * in `Outcome`.
 */
export type GiftCardOutcome =
  | GiftCardApproved
  /** Accepted, and decided later: `find` tells the result. Never of an activation or an issuance. */
  | { status: 'pending'; reference: string | null }
  | ({ status: 'declined' } & GiftCardRefusal)
  | ({ status: 'failed'; unprocessed?: never } & GiftCardRefusal)
  | ({ status: 'failed'; unprocessed: true } & GiftCardRefusal)
  | UnknownOutcome

export interface GiftCardApproved {
  status: 'approved'
  /** The amount that was redeemed, put back or issued; on activation the value of the card. */
  amount: number
  /** The service's own id of a redemption, which later operations name, or of an issuance. */
  reference: string
  /** The card afterwards; null if the service does not return it. */
  card: GiftCardState | null
  /** The page with the issued card; null on every other operation. */
  url: string | null
}

/** `lost`: the service gave no readable answer. */
export type GiftCardBalance =
  | ({ status: 'known' } & GiftCardState)
  | ({ status: 'refused' } & GiftCardRefusal)
  | { status: 'lost'; reason: string }

/** What the service's books say of an operation. */
export type GiftCardFinding = BookFinding<GiftCardOutcome>

/** A configured gift card service, with its secrets in the clear for the time of the call. */
export interface GiftCardServiceForCall {
  id: string
  fields: Readonly<Record<string, string>>
}

export interface GiftCardServiceCall {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: GiftCardServiceForCall
}

export interface GiftCardCall<Kind extends GiftCardOperationKind = GiftCardOperationKind>
  extends GiftCardServiceCall {
  operation: Extract<GiftCardOperationForCall, { kind: Kind }>
}

/** A look-up of an operation by its id, without the card. */
export interface GiftCardLookup extends GiftCardServiceCall {
  operation: Pick<GiftCardOperationForCall, 'id' | 'kind'>
  /**
   * The notices about the operation, in the order in which they arrived. Absent: it is an activation or an
   * issuance, about which none is kept.
   */
  notices?: () => Promise<readonly StoredNotice[]>
}

export interface GiftCardServiceDefinition {
  id: string
  displayName: string
  fields: readonly FieldDefinition[]
}

/**
 * A gift card service, as the rest of Railyard sees it. A connector reports what the service does as an
 * outcome: a thrown error is a bug and counts as `unknown`.
 */
export interface GiftCardConnector {
  definition: GiftCardServiceDefinition
  balance(call: GiftCardServiceCall, card: GiftCardForCall): Promise<GiftCardBalance>
  operations: {
    readonly [Kind in GiftCardOperationKind]: (call: GiftCardCall<Kind>) => Promise<GiftCardOutcome>
  }
  /** Reads the books. */
  find(call: GiftCardLookup): Promise<GiftCardFinding>
  /**
   * Reads the books for an operation that is not sent again, and makes sure that an absent one stays absent:
   * the service refuses a request that arrives later.
   */
  close(call: GiftCardLookup): Promise<GiftCardFinding>
  /**
   * Reads a message that came to the URL of the gift card service's notifications, and verifies it. Only what is
   * about an `operation` of a payment is kept, for its next look-up. `late: 'failure'`: a reversal or refund that had
   * succeeded may have been taken back. Absent: the service sends no notifications.
   */
  readNotification?(
    call: GiftCardServiceCall,
    message: NotificationForCall,
  ): Promise<readonly NotificationSubject[]>
}

import type { FieldDefinition } from './connector.ts'
import type { GiftCardErrorCode } from './gift-card-error-codes.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'

/** What a gift card service can be asked to do. Asking for a balance changes nothing and is not among these. */
export type GiftCardOperationKind = 'redeem' | 'reverse' | 'refund' | 'activate' | 'issue'

/** A gift card for one call. It exists in memory only. */
export interface GiftCardForCall {
  number: string
  /** Null only where a card is activated: some are before they have one. */
  pin: string | null
}

/**
 * An operation as a connector sees it; its `id` is the idempotency key, the same whenever the operation is sent. Amounts are in the smallest unit of `currency`.
 * `redemption` is the service's own id of the redemption that is undone or put back.
 */
export type GiftCardOperationForCall = { id: string } & (
  | { kind: 'redeem'; card: GiftCardForCall; amount: number; currency: string }
  /** Undoes a redemption: what is left of it goes back to the card. */
  | { kind: 'reverse'; redemption: string }
  /** Puts a part of a redemption back on its card. */
  | { kind: 'refund'; redemption: string; amount: number; currency: string }
  /** Null amount and currency: the card has the value that it was sold for. */
  | { kind: 'activate'; card: GiftCardForCall; amount: number | null; currency: string | null; reference: string | null }
  /** Makes a virtual card of one of the service's designs. */
  | { kind: 'issue'; theme: string; amount: number; currency: string; reference: string | null }
)

/** A card in the service's books. */
export interface GiftCardState {
  balance: number
  /** Null where the card is not bound to one. */
  currency: string | null
  /** ISO 8601; null: never. */
  expirationDate: string | null
}

/** A refusal in our words and in the service's. */
export interface GiftCardRefusal {
  code: GiftCardErrorCode
  rawCode: string | null
  rawMessage: string | null
}

/**
 * What became of an operation, as in connector.ts: `unknown` is for a lost answer, and nothing else may be tried for the same money until the
 * books have been read. `unprocessed`: the request did not get away, or was turned away at the door, which says nothing of another one under the same key.
 */
export type GiftCardOutcome =
  | GiftCardApproved
  | ({ status: 'declined' } & GiftCardRefusal)
  | ({ status: 'failed'; unprocessed?: true } & GiftCardRefusal)
  | { status: 'unknown'; reason: string }

export interface GiftCardApproved {
  status: 'approved'
  /** What was redeemed, put back or issued; what was put on the card by an activation. */
  amount: number
  /** The service's own id: of a redemption, which later operations name, or of an issuance. */
  reference: string
  /** The card afterwards, where the service tells. */
  card: GiftCardState | null
  /** Where the buyer finds the card that was issued; null on everything else. */
  url: string | null
}

/** `lost`: the service could not be asked. */
export type GiftCardBalance = ({ status: 'known' } & GiftCardState) | ({ status: 'refused' } & GiftCardRefusal) | { status: 'lost'; reason: string }

/** What the books say of an operation; `absent` and `unsure` as in connector.ts. */
export type GiftCardFinding = { found: GiftCardOutcome } | 'absent' | 'unsure'

/** A configured gift card service, with its secrets in the clear for the time of the call. */
export interface GiftCardServiceForCall {
  id: string
  fields: Readonly<Record<string, string>>
}

export interface GiftCardServiceCall {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: GiftCardServiceForCall
}

export interface GiftCardCall<Kind extends GiftCardOperationKind = GiftCardOperationKind> extends GiftCardServiceCall {
  operation: Extract<GiftCardOperationForCall, { kind: Kind }>
}

/** Asks for an operation by its id: the card of a redemption is gone by then. */
export interface GiftCardLookup extends GiftCardServiceCall {
  operation: Pick<GiftCardOperationForCall, 'id' | 'kind'>
}

export interface GiftCardServiceDefinition {
  id: string
  displayName: string
  fields: readonly FieldDefinition[]
}

/** What every gift card service is to the rest of Railyard. None of these throws for what a service may do: a thrown error is a bug and counts as `unknown`. */
export interface GiftCardConnector {
  definition: GiftCardServiceDefinition
  balance(call: GiftCardServiceCall, card: GiftCardForCall): Promise<GiftCardBalance>
  operations: { readonly [Kind in GiftCardOperationKind]: (call: GiftCardCall<Kind>) => Promise<GiftCardOutcome> }
  /** Reads the books. */
  find(call: GiftCardLookup): Promise<GiftCardFinding>
  /** Reads the books for an operation that is not sent again, and where it is absent makes sure that it stays so: a request still on its way is refused when it arrives. */
  close(call: GiftCardLookup): Promise<GiftCardFinding>
}

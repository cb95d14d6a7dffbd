import type { TokenAnswer, TokenHttp } from './token-service.ts'

/** An inquiry to the account updater. */
export interface CardInquiry {
  /** The idempotency key: the same inquiry has the same id. */
  id: string
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Sandbox: the answer to give (semantics §6.4); null: the card's number decides. */
  simulated: Record<string, unknown> | null
}

/** The issuer's answer about a card; `closed`: the card account no longer exists. */
export type CardUpdate =
  | { result: 'updated'; number: string; expirationDate: string }
  | { result: 'unchanged' }
  | { result: 'closed' }

/** Returns the new number or expiry date of a card that its issuer has replaced. It does not throw. */
export interface AccountUpdater {
  inquire(http: TokenHttp, inquiry: CardInquiry): Promise<TokenAnswer<CardUpdate>>
}

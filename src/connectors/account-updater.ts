import type { TokenAnswer, TokenHttp } from './token-service.ts'

/** A card as the account updater is asked about it. */
export interface CardInquiry {
  /** The same inquiry is asked under the same id. */
  id: string
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Sandbox: what is to be answered (SEMANTICS §6.4); null where the card's number decides. */
  simulated: Record<string, unknown> | null
}

/** What the issuers say of a card; `closed`: there is no card any more. */
export type CardUpdate = { result: 'updated'; number: string; expirationDate: string } | { result: 'unchanged' } | { result: 'closed' }

/** Tells the new number or expiry of a card that its issuer has replaced. It does not throw. */
export interface AccountUpdater {
  inquire(http: TokenHttp, inquiry: CardInquiry): Promise<TokenAnswer<CardUpdate>>
}

import { adviceNames, type DeclineAdvice } from '../../../checkout/decline-advice.ts'
import type { DeclineWords } from '../../../checkout/decline-words.ts'

export const isAdvice = (text: string | null): text is DeclineAdvice =>
  adviceNames.some((each) => each === text)

/** All texts of the page, in one language. Names and amounts are passed as the buyer reads them. */
export interface Words {
  /** The language tag of the page (BCP 47). */
  lang: string
  sandbox: string
  payTitle(merchant: string): string
  order: string
  quantity(count: number): string
  total: string
  payWith: string
  redirectHint(method: string): string
  storedCard: { ending: string; expires(date: string): string }
  otherCard: string
  /** The cardholder's name. The card's own fields have their texts in `src/elements/words`. */
  name: { label: string; missing: string }
  keepsCard(merchant: string): string
  pay(amount: string): string
  /** Below the button, if the payment only reserves the amount. */
  reserves(merchant: string): string
  /** The button for an amount of 0, which only verifies the card. */
  confirm: string
  goOn(method: string): string
  paying: string
  private(merchant: string): string
  acceptTerms(merchant: string): string
  newTab: string
  noScript: string
  declined: { title: string } & DeclineWords
  troubles: Troubles
  processing: { title: string; text: string }
  approval: { title: string; text: string; goOn: string; otherWay: string }
  /** After a payment that succeeded (`outcome-text.ts`). */
  completed: {
    title: string
    paid(amount: string, merchant: string): string
    booking(amount: string, merchant: string): string
    reserved(amount: string, merchant: string): string
    /** An amount of 0, after which the card is stored. */
    kept(merchant: string): string
    checked: string
    /** The payment is not kept any more (`RETENTION_MONTHS`). */
    noLongerKept(merchant: string): string
  }
  /** What the page of a payment that succeeded shows for questions about it. */
  receipt: { title: string; reference: string; time: string; amount: string; method: string; print: string }
  /** The merchant has voided the authorization. */
  released: { title: string; text(amount: string, merchant: string): string }
  expired: { title: string; text(merchant: string): string }
  exhausted: { title: string; text(merchant: string): string }
  unavailable: { title: string; text(merchant: string): string }
  unknown: { title: string; text: string }
  failed: { title: string; text: string }
  backTo(merchant: string): string
}

/** Why a request failed; as far as the page knows, nothing was paid. */
export interface Troubles {
  tooMany: string
  offline: string
  failed: string
}

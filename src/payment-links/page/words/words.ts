const advice = ['details', 'card', 'bank', 'unconfirmed', 'other', 'later'] as const

/** What a refused buyer is told to do about it, whatever the payment service called it. */
export type DeclineAdvice = (typeof advice)[number]

export const isAdvice = (text: string | null): text is DeclineAdvice => advice.some((known) => known === text)

/** Everything that the page says, in one language. Names and amounts come written as the buyer reads them. */
export interface Words {
  /** Of the page: BCP 47. */
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
  fields: { number: string; expiry: string; expiryForm: string; code: string; codeHint: string; codeHintAmex: string; name: string }
  mistakes: Mistakes
  keepsCard(merchant: string): string
  pay(amount: string): string
  /** Below the button, where paying only reserves the amount. */
  reserves(merchant: string): string
  /** The button of a payment of nothing, which only proves the card. */
  confirm: string
  goOn(method: string): string
  paying: string
  private(merchant: string): string
  acceptTerms(merchant: string): string
  newTab: string
  noScript: string
  declined: { title: string } & Record<DeclineAdvice, string>
  troubles: Troubles
  processing: { title: string; text: string }
  approval: { title: string; text: string; goOn: string; otherWay: string }
  /** What a payment that went well came to, in a sentence each (`outcome.ts`). */
  completed: {
    title: string
    paid(amount: string, merchant: string): string
    booking(amount: string, merchant: string): string
    reserved(amount: string, merchant: string): string
    /** A payment of nothing, after which the card is kept. */
    kept(merchant: string): string
    checked: string
  }
  /** The merchant let go of what was reserved. */
  released: { title: string; text(amount: string, merchant: string): string }
  expired: { title: string; text(merchant: string): string }
  exhausted: { title: string; text(merchant: string): string }
  unavailable: { title: string; text(merchant: string): string }
  unknown: { title: string; text: string }
  failed: { title: string; text: string }
  backTo(merchant: string): string
}

/** What is wrong with what was typed; shown next to the field. */
export interface Mistakes {
  numberMissing: string
  numberInvalid: string
  expiryInvalid: string
  expiryPast: string
  codeInvalid: string
  nameMissing: string
}

/** Why sending did not work; nothing is known to have been paid. */
export interface Troubles {
  tooMany: string
  offline: string
  failed: string
}

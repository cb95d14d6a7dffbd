import { declineAdviceOn } from '../../../../src/checkout/decline-advice.ts'
import { en } from '../../../../src/checkout/decline-words.ts'

/** What to tell the buyer of a refused payment: the words in which the checkout says it. */
export const buyerAdvice = (errorCode: string | null): string => en[declineAdviceOn(errorCode)]

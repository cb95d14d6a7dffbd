import { chooseLanguage } from '../../page/choose-language.ts'
import { type CardWords, cardWords } from './card-words.ts'
import { type CheckoutWords, checkoutWords } from './checkout-words.ts'

export const chooseCardWords = (locale: string | undefined, acceptLanguage: string | undefined): CardWords =>
  chooseLanguage(cardWords, locale ?? null, acceptLanguage)

export const chooseCheckoutWords = (
  locale: string | undefined,
  acceptLanguage: string | undefined,
): CheckoutWords => chooseLanguage(checkoutWords, locale ?? null, acceptLanguage)

import { chooseLanguage } from '../../page/choose-language.ts'
import { type CardWords, cardWords } from './card-words.ts'

export const chooseCardWords = (locale: string | undefined, acceptLanguage: string | undefined): CardWords =>
  chooseLanguage(cardWords, locale ?? null, acceptLanguage)

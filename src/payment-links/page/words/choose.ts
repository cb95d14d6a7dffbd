import { chooseLanguage } from '../../../page/choose-language.ts'
import { de } from './de.ts'
import { en, enGB } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { nl } from './nl.ts'
import { pt } from './pt.ts'
import { ptBR } from './pt-br.ts'
import type { Words } from './words.ts'

/** English first: it is used where no other language fits. */
export const languages: readonly Words[] = [en, enGB, de, fr, es, pt, ptBR, it, nl, ja]

/** The texts in the link's locale (semantics §14), else in a language that the browser prefers. */
export const chooseWords = (locale: string | null, acceptLanguage: string | undefined): Words =>
  chooseLanguage(languages, locale, acceptLanguage)

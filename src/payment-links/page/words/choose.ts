import { chooseLanguage } from '../../../page/choose-language.ts'
import { en, enGB } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'
import { ptBR } from './pt-br.ts'
import type { Words } from './words.ts'

const languages: readonly Words[] = [en, enGB, es, pt, ptBR]

/** The texts in the link's locale (semantics §14), else in a language that the browser prefers. */
export const chooseWords = (locale: string | null, acceptLanguage: string | undefined): Words =>
  chooseLanguage(languages, locale, acceptLanguage)

import { en, enGB } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'
import { ptBR } from './pt-br.ts'
import type { Words } from './words.ts'

const languages: readonly Words[] = [en, enGB, es, pt, ptBR]

/**
 * The texts in the link's locale (semantics §14), else in the first supported language of the
 * `accept-language` header, which browsers write in the order of preference, else in English.
 */
export function chooseWords(locale: string | null, acceptLanguage: string | undefined): Words {
  const preferred = [
    locale ?? '',
    ...(acceptLanguage ?? '').split(',').map((language) => language.split(';')[0]?.trim() ?? ''),
  ]
  for (const language of preferred) {
    const words = wordsOf(language)
    if (words) return words
  }
  return en
}

function wordsOf(locale: string): Words | undefined {
  const tag = locale.replaceAll('_', '-').toLowerCase()
  return (
    languages.find(({ lang }) => lang.toLowerCase() === tag) ??
    languages.find(({ lang }) => lang === tag.split('-')[0])
  )
}

import { en, enGB } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'
import { ptBR } from './pt-br.ts'
import type { Words } from './words.ts'

const all: readonly Words[] = [en, enGB, es, pt, ptBR]

/**
 * The words of a link's locale (SEMANTICS §14), else of the first language that the browser asks for and we have, else English. `wanted`: the `accept-language`
 * header, whose order browsers write by preference.
 */
export function chooseWords(locale: string | null, wanted: string | undefined): Words {
  const asked = [locale ?? '', ...(wanted ?? '').split(',').map((each) => each.split(';')[0]?.trim() ?? '')]
  for (const each of asked) {
    const found = wordsOf(each)
    if (found) return found
  }
  return en
}

function wordsOf(locale: string): Words | undefined {
  const tag = locale.replaceAll('_', '-').toLowerCase()
  return all.find(({ lang }) => lang.toLowerCase() === tag) ?? all.find(({ lang }) => lang === tag.split('-')[0])
}

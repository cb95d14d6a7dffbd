import { type Document, documents } from './documents.ts'

/** A part of a page, under one heading. */
interface Section {
  path: string
  heading: string
  text: string
  /** How often each word occurs; words of the heading and of the page's title count more. */
  words: ReadonlyMap<string, number>
  length: number
}

export interface Finding {
  path: string
  heading: string
  excerpt: string
}

interface Index {
  sections: readonly Section[]
  /** In how many sections a word occurs. */
  sectionsWith: ReadonlyMap<string, number>
  meanLength: number
}

/** Endings are cut, so that `refunds` and `refunded` find `refund`. */
const stem = (word: string) => word.replace(/(?:ies|ing|ed|es|s)$/, '')
export const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => (word.length > 4 ? stem(word) : word))

const HEADING_WEIGHT = 4

function sectionsOf({ path, title, text }: Document): Section[] {
  return text.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const heading = /^#{1,3} (.+)$/m.exec(part)?.[1] ?? title
    const body = wordsOf(part)
    if (body.length === 0) return []
    const words = new Map<string, number>()
    const count = (word: string, weight: number) => words.set(word, (words.get(word) ?? 0) + weight)
    for (const word of body) count(word, 1)
    for (const word of wordsOf(`${heading} ${title}`)) count(word, HEADING_WEIGHT)
    return [{ path, heading, text: part, words, length: body.length }]
  })
}

let index: Index | undefined

function buildIndex(): Index {
  const sections = [...documents().values()].flatMap(sectionsOf)
  const sectionsWith = new Map<string, number>()
  for (const { words } of sections)
    for (const word of words.keys()) sectionsWith.set(word, (sectionsWith.get(word) ?? 0) + 1)
  const total = sections.reduce((sum, { length }) => sum + length, 0)
  return { sections, sectionsWith, meanLength: total / sections.length }
}

/** The constants of BM25, at their usual values. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

function scoreOf(
  { words, length }: Section,
  query: readonly string[],
  { sections, sectionsWith, meanLength }: Index,
) {
  return query.reduce((score, word) => {
    const count = words.get(word) ?? 0
    const among = sectionsWith.get(word) ?? 0
    const rarity = Math.log(1 + (sections.length - among + 0.5) / (among + 0.5))
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / meanLength)
    return score + (rarity * count * (SATURATION + 1)) / (count + norm)
  }, 0)
}

const EXCERPT = 700

/** The sections that fit the query best. */
export function searchDocuments(query: string, limit: number): Finding[] {
  index ??= buildIndex()
  const words = [...new Set(wordsOf(query))]
  return index.sections
    .map((section) => ({ section, score: scoreOf(section, words, index ?? buildIndex()) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ section: { path, heading, text } }) => ({
      path,
      heading,
      excerpt: text.slice(0, EXCERPT).trim(),
    }))
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A page of the documentation that is shipped with the service. */
export interface Document {
  /** Below `docs/`: `guides/routing.md`. */
  path: string
  title: string
  text: string
}

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url))
/** Decisions and the specification are for people who change Railyard. */
const shipped = ['guides', 'concepts', 'reference', 'operations']

let pages: ReadonlyMap<string, Document> | undefined

/** Every page, by its path; read once, at the first use. Empty in an installation that has left the pages out. */
export function documents(): ReadonlyMap<string, Document> {
  pages ??= new Map(
    [...shipped.flatMap(filesOf), 'glossary.md']
      .filter((path) => existsSync(`${folder}${path}`))
      .map((path) => {
        const text = readFileSync(`${folder}${path}`, 'utf8')
        return [path, { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text }]
      }),
  )
  return pages
}

function filesOf(name: string): string[] {
  if (!existsSync(`${folder}${name}`)) return []
  return readdirSync(`${folder}${name}`)
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .toSorted()
    .map((file) => `${name}/${file}`)
}

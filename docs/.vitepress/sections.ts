import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Item {
  text: string
  link: string
}

/**
 * The pages of a folder, for the sidebar: first its index, then those that the index links to, in that order,
 * then the others.
 */
export function sectionOf(root: string, folder: string): Item[] {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  const files = readdirSync(path).filter((file) => file.endsWith('.md'))
  const index = files.includes('index.md') ? readFileSync(join(path, 'index.md'), 'utf8') : ''
  const linked = Array.from(index.matchAll(/\]\(([\w.-]+\.md)/g), ([, file = '']) => file)
  const ordered = [...new Set(['index.md', ...linked, ...files.toSorted()])].filter((file) =>
    files.includes(file),
  )
  return ordered.map((file) => ({
    text: file === 'index.md' ? 'Overview' : titleOf(join(path, file)),
    link: `/${folder}/${file}`,
  }))
}

/** The first heading, without its formatting. */
const titleOf = (file: string): string =>
  readFileSync(file, 'utf8')
    .match(/^# (.+)$/m)?.[1]
    ?.replaceAll(/[`*]/g, '') ?? file

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The files of this repository, as paths from its root, and what is in them. */
export interface Repository {
  files: readonly string[]
  read: (path: string) => string
}

/** What git tracks, and what is new and not ignored. */
export function openRepository(root: URL): Repository {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 1 << 26,
  })
  const files = [...new Set(listed.toString().split('\0'))].filter(
    (path) => path !== '' && existsSync(new URL(path, root)),
  )
  return { files, read: (path) => readFileSync(new URL(path, root), 'utf8') }
}

/** Answers questions about paths in constant time. */
export interface PathIndex {
  hasFile: (path: string) => boolean
  /** A file or a folder. */
  has: (path: string) => boolean
  /** Whether a file's path ends with this one, such as `transactions/status.ts` or `status.ts`. */
  hasEnding: (ending: string) => boolean
  /**
   * Whether a file has this path and an extension or two, such as `src/transactions/price` of
   * `src/transactions/price.test.ts`.
   */
  hasStem: (path: string) => boolean
  matchesPattern: (pattern: string) => boolean
}

export function indexPaths(files: readonly string[]): PathIndex {
  const known = new Set(files)
  const folders = new Set<string>()
  const endings = new Set<string>()
  const stems = new Set<string>()
  for (const file of files) {
    const parts = file.split('/')
    let stem = file
    while (/[^/]\.[^/.]+$/.test(stem)) {
      stem = stem.replace(/\.[^/.]+$/, '')
      stems.add(stem)
    }
    for (let length = 1; length < parts.length; length++) folders.add(parts.slice(0, length).join('/'))
    for (let start = 0; start < parts.length; start++) endings.add(parts.slice(start).join('/'))
  }
  return {
    hasFile: (path) => known.has(path),
    has: (path) => known.has(path) || folders.has(path),
    hasEnding: (ending) => endings.has(ending),
    hasStem: (path) => stems.has(path),
    matchesPattern: (pattern) => files.some((file) => toExpression(pattern).test(file)),
  }
}

// `src/**/*.test.ts`, `src/{a,b}.ts`; a pattern that names a folder matches what is in it
function toExpression(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+^$()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('**', '\u0001')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?')
    .replaceAll('\u0001', '.*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|')
  return new RegExp(`^${source}(?:/.*)?$`)
}

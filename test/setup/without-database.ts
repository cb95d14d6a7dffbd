import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** What leads to a database: its drivers, and whatever could start another program, which may open one. */
const databases = ['pg', 'kysely', '@electric-sql/pglite', 'node:child_process', 'node:worker_threads']

const imports =
  /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^'"`;]*?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g
/** An import whose name is made up while the program runs could be of anything. */
const unknowable = /\bimport\(\s*[^'"\s]/

/**
 * Those of the test files that cannot reach a database, neither by what they import nor by what that imports. They prove on one database what they
 * prove on any.
 */
export function withoutDatabase(files: readonly string[]): string[] {
  const reached = new Set<string>()
  const known = new Map<string, { names: string[]; open: boolean }>()
  const read = (file: string) => {
    const cached = known.get(file)
    if (cached) return cached
    const text = readFileSync(file, 'utf8')
    const names = [...text.matchAll(imports)].flatMap(([, name, dynamic]) => name ?? dynamic ?? [])
    const found = { names, open: unknowable.test(text) }
    known.set(file, found)
    return found
  }
  const reaches = (file: string): boolean => {
    if (reached.has(file)) return false
    reached.add(file)
    const { names, open } = read(file)
    return (
      open ||
      names.some(
        (name) =>
          databases.includes(name) ||
          (name.startsWith('.') && /\.[jt]s$/.test(name) && reaches(resolve(dirname(file), name))),
      )
    )
  }
  return files.filter((file) => {
    reached.clear()
    return !reaches(resolve(file))
  })
}

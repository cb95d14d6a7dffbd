// @ts-check
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** This package's folder. */
export const root = fileURLToPath(new URL('../', import.meta.url))

/** Where `npm run build` puts the program in one piece. */
export const bundle = join(root, 'dist')

/** The file of the bundle that tells what it was made of: a list of `Source`. */
export const SOURCES = 'sources.json'

/**
 * A file as it was when it was bundled: its path from `root`, its size in bytes, and when it was changed, in whole seconds, which are what the layers of a
 * container's image keep of it.
 *
 * @typedef {[path: string, size: number, changed: number]} Source
 */

/**
 * @param {string} path
 * @returns {Source}
 */
export function sourceNow(path) {
  const { size = 0, mtimeMs = 0 } = statSync(join(root, path), { throwIfNoEntry: false }) ?? {}
  return [path, size, Math.floor(mtimeMs / 1_000)]
}

/**
 * The URL of the program in one piece, which starts in half the time of the 2,000 files that it is made of. Undefined where nobody has built it, and where one of
 * ours among them is another one by now: what somebody has changed runs as it is.
 */
export function bundledProgram() {
  const program = join(bundle, 'program.js')
  const isOfTheseFiles = existsSync(program) && readSources()?.every((source) => source.join() === sourceNow(source[0]).join())
  return isOfTheseFiles ? pathToFileURL(program).href : undefined
}

/**
 * Undefined: nothing says so that can be read.
 *
 * @returns {Source[] | undefined}
 */
function readSources() {
  try {
    return JSON.parse(readFileSync(join(bundle, SOURCES), 'utf8'))
  } catch {
    return undefined
  }
}

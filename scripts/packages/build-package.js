// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'

/**
 * @typedef {object} PackageToBuild
 * @property {string} name
 * @property {string} folder The package's folder; its entry is `src/index.ts`.
 * @property {number} mostGzippedBytes A larger bundle fails the build.
 * @property {(partial: string) => Promise<void>} [write] Writes what else belongs into the folder.
 */

/**
 * Writes the bundles of a package, for `import` and for `require`, and its types, into its folder `dist`.
 *
 * @param {PackageToBuild} options
 */
export async function buildPackage(options) {
  try {
    await build(options)
  } catch (error) {
    console.error(`${options.name}: not built (${error instanceof Error ? error.message : error})`)
    // an installation of the service is whole without it: the bundler is a development dependency
    if (process.env['npm_lifecycle_event'] !== 'prepare') process.exitCode = 1
  }
}

/** @param {PackageToBuild} options */
async function build({ name, folder, mostGzippedBytes, write }) {
  const { rolldown } = await import('rolldown')
  const { declarationsOf } = await import('./declarations.js')
  const partial = await mkdtemp(`${folder}.building-`)
  try {
    const bundle = await rolldown({ input: { index: `${folder}src/index.ts` }, platform: 'neutral' })
    for (const [format, extension] of /** @type {const} */ ([
      ['esm', 'js'],
      ['cjs', 'cjs'],
    ])) {
      await bundle.write({
        dir: partial,
        format,
        entryFileNames: `[name].${extension}`,
        sourcemap: true,
        comments: false,
      })
      const size = gzipSync(readFileSync(`${partial}/index.${extension}`)).length
      if (size > mostGzippedBytes)
        throw new Error(`index.${extension} has ${size} bytes gzipped, more than ${mostGzippedBytes}`)
      console.log(`${name}: index.${extension} has ${size} bytes gzipped`)
    }
    await bundle.close()
    const declarations = declarationsOf(`${folder}src/index.ts`)
    for (const extension of ['d.ts', 'd.cts']) writeFileSync(`${partial}/index.${extension}`, declarations)
    await write?.(partial)
    await chmod(partial, 0o755)
    // a program that imports it meanwhile finds the one or the other
    await rename(`${folder}dist`, `${partial}-before`).catch(() => undefined)
    await rename(partial, `${folder}dist`)
  } finally {
    for (const left of [partial, `${partial}-before`]) await rm(left, { recursive: true, force: true })
  }
}

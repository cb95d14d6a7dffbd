// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// npm run build --workspace @railyard/client, and npm ci by itself: the bundle and the types of
// packages/client. JavaScript, since npm ci may run it with another Node than the service's

/** A page that takes payments loads it. */
const MOST_GZIPPED_BYTES = 12_000

const folder = fileURLToPath(new URL('../packages/client/', import.meta.url))

async function build() {
  const { rolldown } = await import('rolldown')
  const { declarationsOf } = await import('./client/declarations.js')
  const partial = await mkdtemp(`${folder}.building-`)
  try {
    const client = await rolldown({ input: { index: `${folder}src/index.ts` }, platform: 'neutral' })
    for (const [format, extension] of /** @type {const} */ ([
      ['esm', 'js'],
      ['cjs', 'cjs'],
    ])) {
      await client.write({
        dir: partial,
        format,
        entryFileNames: `[name].${extension}`,
        sourcemap: true,
        comments: false,
      })
      const size = gzipSync(readFileSync(`${partial}/index.${extension}`)).length
      if (size > MOST_GZIPPED_BYTES)
        throw new Error(`index.${extension} has ${size} bytes gzipped, more than ${MOST_GZIPPED_BYTES}`)
      console.log(`@railyard/client: index.${extension} has ${size} bytes gzipped`)
    }
    await client.close()
    const declarations = declarationsOf(`${folder}src/index.ts`)
    for (const extension of ['d.ts', 'd.cts']) writeFileSync(`${partial}/index.${extension}`, declarations)
    await chmod(partial, 0o755)
    // a program that imports it meanwhile finds the one or the other
    await rename(`${folder}dist`, `${partial}-before`).catch(() => undefined)
    await rename(partial, `${folder}dist`)
  } finally {
    for (const left of [partial, `${partial}-before`]) await rm(left, { recursive: true, force: true })
  }
}

try {
  await build()
} catch (error) {
  console.error(`@railyard/client: not built (${error instanceof Error ? error.message : error})`)
  // an installation of the service is whole without it: the bundler is a development dependency
  if (process.env['npm_lifecycle_event'] !== 'prepare') process.exitCode = 1
}

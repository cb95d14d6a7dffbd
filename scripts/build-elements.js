// @ts-check
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { loaderScript } from '../src/elements/loader-script.js'
import { buildPackage } from './packages/build-package.js'

// npm run build --workspace @railyard/elements, and npm ci by itself: the bundles and the types of
// packages/elements. JavaScript, since npm ci may run it with another Node than the service's

/** Every checkout page of a merchant loads it. */
const MOST_GZIPPED_BYTES = 5_000

await buildPackage({
  name: '@railyard/elements',
  folder: fileURLToPath(new URL('../packages/elements/', import.meta.url)),
  mostGzippedBytes: MOST_GZIPPED_BYTES,
  async write({ partial }) {
    writeFileSync(`${partial}/loader.js`, loaderScript)
    const size = gzipSync(loaderScript).length
    if (size > MOST_GZIPPED_BYTES)
      throw new Error(`loader.js has ${size} bytes gzipped, more than ${MOST_GZIPPED_BYTES}`)
    const integrity = `sha256-${createHash('sha256').update(loaderScript).digest('base64')}`
    console.log(`@railyard/elements: loader.js has ${size} bytes gzipped, integrity ${integrity}`)
  },
})

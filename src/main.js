#!/usr/bin/env node
import module from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { bundledProgram } from './bundled.js'

// This and bundled.js are JavaScript. Node takes the types out of a .ts file with a program of its own that it then keeps, 22 MB; of the others the
// cache below has what is left.

if (!process.features.typescript) {
  console.error(`railyard needs Node 24, and this is ${process.version}. npm ci installs one for this folder: npm start and npm run railyard use it.`)
  process.exit(1)
}

// V8 keeps what it compiled: a third of the time that a start takes. Beside the code, because who can write there can change the code anyway; the
// default, a folder of a known name in /tmp, is anybody's. Where it cannot be written nothing is kept.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/railyard', import.meta.url)))

// A start keeps most of what it allocates. V8 takes that for a sign that the young generation is too small, doubles it up to 2 × 64 MB and gives none
// of it back. It may grow once there are requests and what they need has been compiled, and no further than they gain by.
const GROWS_AFTER_MS = 30_000
const LARGEST_YOUNG_GENERATION = 2 * 8 * 2 ** 20
const LOOKS_EVERY_MS = 250
const growYoungGenerationBy = (/** @type {1 | 2} */ factor) => setFlagsFromString(`--semi-space-growth-factor=${factor}`)
growYoungGenerationBy(1)

// The old generation is collected when it is two fifths larger than what was in use after the last time. V8 would let it grow up to fourfold, which took
// 140 MB more under load and made payments no cheaper.
setFlagsFromString('--heap-growing-percent=40')

// Signatures are checked in these threads. With more of them than cores they starve the event loop: on two cores its p99 delay was 64 ms with Node's
// four, 20 ms with two, at the same number of requests. Read when the first of them is needed, which is later than this.
process.env['UV_THREADPOOL_SIZE'] ??= String(Math.max(2, availableParallelism()))

await import(bundledProgram() ?? './cli/program.ts')
setTimeout(() => {
  growYoungGenerationBy(2)
  const looking = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (young && young.space_size < LARGEST_YOUNG_GENERATION) return
    growYoungGenerationBy(1)
    clearInterval(looking)
  }, LOOKS_EVERY_MS).unref()
}, GROWS_AFTER_MS).unref()

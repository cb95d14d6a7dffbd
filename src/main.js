#!/usr/bin/env node
import module from 'node:module'
import { availableParallelism } from 'node:os'
import { PerformanceObserver } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { bundledProgram } from './bundled.js'

// This file and bundled.js are JavaScript: to strip the types of a .ts file, Node loads a program of 22 MB that it then keeps. The cache below has the other
// files without types.

if (!process.features.typescript) {
  console.error(
    `railyard needs Node 24, and this is ${process.version}. npm ci installs one in the folder of Railyard: npm start and npm run railyard there use it. A package of connectors gets one with "node": "24" in its devDependencies.`,
  )
  process.exit(1)
}

// V8 caches compiled code, which saves a third of the time of a start. The cache is beside the code: a user who can write to it can change the code anyway. Every
// user can write to the default, a folder of a known name in /tmp. Without write access there is no cache.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/railyard', import.meta.url)))

// A start keeps most of what it allocates. V8 concludes that the young generation is too small, doubles it up to 2 × 64 MB and gives it back late. So it may
// grow only after the start, and up to the size from which requests gain.
const STARTED_AFTER_MS = 3_000
const MAX_YOUNG_GENERATION = 2 * 8 * 2 ** 20
const growYoungGenerationBy = (/** @type {1 | 2} */ factor) =>
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
growYoungGenerationBy(1)

// The old generation is collected when it is 40 % larger than what was in use after the last collection. V8 would let it grow up to fourfold, which took 140 MB
// more under load and made payments no cheaper.
setFlagsFromString('--heap-growing-percent=40')

// These threads check signatures. More threads than cores starve the event loop: on two cores its p99 delay was 64 ms with Node's four threads and 20 ms with
// two, at the same number of requests. Node reads the variable when it needs the first thread, which is later.
process.env['UV_THREADPOOL_SIZE'] ??= String(Math.max(2, availableParallelism()))

// V8 compiles a function for good once it has been called 3,000 times, and not within 500 calls of its feedback's last change: a server would be warm only after
// some 12,000 payments. During a start it would compile what no request needs.
function compileEarlier() {
  setFlagsFromString('--invocation-count-for-turbofan=1000')
  setFlagsFromString('--minimum-invocations-after-ic-update=200')
}

await import(bundledProgram() ?? './cli/run.ts')

/**
 * For as long as the process runs: V8 gives the young generation back while there is little to do, and then it must be
 * able to grow again.
 */
function letYoungGenerationGrow() {
  let factor = 1
  const decide = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    const next = young && young.space_size < MAX_YOUNG_GENERATION ? 2 : 1
    if (next !== factor) growYoungGenerationBy(next)
    factor = next
  }
  decide()
  // its size changes with collections alone
  new PerformanceObserver(decide).observe({ entryTypes: ['gc'] })
}

setTimeout(() => {
  compileEarlier()
  letYoungGenerationGrow()
}, STARTED_AFTER_MS).unref()

#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

// V8 keeps what it compiled: a third of the time that a start takes. Beside the code, because who can write there can change the code anyway; the
// default, a folder of a known name in /tmp, is anybody's. Where it cannot be written nothing is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/railyard', import.meta.url)))

// Signatures are checked in these threads. With more of them than cores they starve the event loop: on two cores its p99 delay was 64 ms with Node's
// four, 20 ms with two, at the same number of requests. Read when the first of them is needed, which is later than this.
process.env['UV_THREADPOOL_SIZE'] ??= String(Math.max(2, availableParallelism()))

await import('./cli/program.ts')

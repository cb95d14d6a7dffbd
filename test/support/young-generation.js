// Loaded into a process by --import, for src/main.test.ts: fills and empties the young generation, and prints its size each time.
import { setTimeout as wait } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MEGABYTE = 2 ** 20
const LIMIT = 16
// main.js lets it grow 3 s after the start
const MAX_ROUNDS = 400
const ROUNDS_AT_LIMIT = 40
const ROUND_EVERY_MS = 25

setFlagsFromString('--expose-gc')
/** @type {(options: { type: 'minor' | 'major'; flavor?: 'last-resort' }) => void} */
const collect = runInNewContext('gc')

const megabytes = () =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0) / MEGABYTE

/** Allocates what lives on for a while, as requests do, until the limit has been reached for a while. */
async function work() {
  let atLimit = 0
  for (let round = 0; round < MAX_ROUNDS && atLimit < ROUNDS_AT_LIMIT; round++) {
    const living = Array.from({ length: 50_000 }, (_, index) => ({ index }))
    collect({ type: 'minor' })
    await wait(ROUND_EVERY_MS)
    if (living.length > 0 && megabytes() >= LIMIT) atLimit++
  }
  return megabytes()
}

/** Gives memory back, as V8 does while a process has little to do. */
function rest() {
  for (let round = 0; round < 10; round++) collect({ type: 'major', flavor: 'last-resort' })
  return megabytes()
}

async function tell() {
  for (let round = 0; round < 2; round++) console.log(`rested ${rest()} worked ${await work()}`)
}

tell()

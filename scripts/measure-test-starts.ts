/**
 * What `startRailyard()` of `@railyard/testing` takes: the first, which starts the instance, ten more, and three
 * instances of their own; and 50 calls of `fork()`, each followed by a test of one payment. `node
 * scripts/measure-test-starts.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Railyard, startRailyard as StartRailyard } from '../src/testing/testing.d.cts'

const { startRailyard }: { startRailyard: typeof StartRailyard } = createRequire(import.meta.url)(
  '../src/testing/start-railyard.cjs',
)

// an instance that nobody has started yet
const folder = mkdtempSync(join(tmpdir(), 'railyard-starts-'))
process.env['TMPDIR'] = folder

async function starts(count: number, options = {}): Promise<number[]> {
  const times: number[] = []
  for (let start = 0; start < count; start++) {
    const began = performance.now()
    const railyard = await startRailyard(options)
    times.push(Math.round(performance.now() - began))
    await railyard.close()
  }
  return times
}

const FORKS = 50
/** How long a test of a merchant takes beside its payment. */
const PAUSE_MS = 250

async function forks(): Promise<number[]> {
  const original = await startRailyard()
  const pay = ({ client, card }: Railyard) =>
    client.transactions.create({ amount: 1299, currency: 'EUR', country: 'DE', payment_method: card })
  for (let payment = 0; payment < 20; payment++) await pay(original)
  const times: number[] = []
  for (let count = 0; count <= FORKS; count++) {
    const began = performance.now()
    const fork = await original.fork()
    times.push(Math.round(performance.now() - began))
    await pay(fork)
    await fork.close()
    await wait(PAUSE_MS)
  }
  await original.close()
  return times
}

/** @param share from 0 to 1 */
const quantile = (times: number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1]
const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]
const show = (what: string, times: number[]) =>
  console.log(`${what.padEnd(12)} ${median(times)} ms (${times.join(', ')})`)

show('first', await starts(1))
show('ten more', await starts(10))
const [firstFork = 0, ...laterForks] = await forks()
show('first fork', [firstFork])
console.log(
  `${FORKS} forks     p50 ${quantile(laterForks, 0.5)} ms, p95 ${quantile(laterForks, 0.95)} ms (${laterForks.join(', ')})`,
)
show('isolated', await starts(3, { isolated: true }))
rmSync(folder, { recursive: true, force: true })

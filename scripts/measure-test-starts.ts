/**
 * What `startRailyard()` of `railyard/testing` takes: the first, which starts the instance, ten more, and
 * three instances of their own. `node scripts/measure-test-starts.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { startRailyard as StartRailyard } from '../src/testing/testing.d.cts'

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

const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]
const show = (what: string, times: number[]) =>
  console.log(`${what.padEnd(12)} ${median(times)} ms (${times.join(', ')})`)

show('first', await starts(1))
show('ten more', await starts(10))
show('isolated', await starts(3, { isolated: true }))
rmSync(folder, { recursive: true, force: true })

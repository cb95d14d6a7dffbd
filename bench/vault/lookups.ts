import { pageOf } from '../../src/api/pagination.ts'
import type { Cipher } from '../../src/base/cipher.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { type Instance, type Place, startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Engine, Options } from '../options.ts'
import { measureLoad } from '../pay/measure.ts'
import { headersOf } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, type Results } from '../rounds.ts'
import { type Figure, figure } from '../statistics.ts'
import { fillPaymentMethods, type Sample } from './fill.ts'
import { byFingerprint } from './fingerprint.ts'

const SMALL = 10_000
/**
 * The embedded database loads 10,000 of them in a second on a busy machine: a hundred thousand are enough to
 * wait for.
 */
const LARGE = { embedded: 100_000, postgres: 1_000_000 } as const satisfies Record<Engine, number>
/** One by one: what is asked is how long one takes, not how many fit. */
const CONNECTIONS = 1
const MAX_SECONDS = 1
const FINGERPRINT = 'by fingerprint, SQL'

interface Filled {
  instance: Instance
  sample: Sample
  cipher: Cipher
  count: number
}

const cases: Record<string, (filled: Filled) => string[]> = {
  'one by id': ({ sample }) => sample.ids.map((id) => `/payment-methods/${id}`),
  'by external identifier': ({ sample }) =>
    sample.externalIdentifiers.map((name) => list({ external_identifier: name })),
  'of a buyer, usable': ({ sample }) => sample.buyerIds.map((id) => `/buyers/payment-methods?buyer_id=${id}`),
  'of a buyer, all': ({ sample }) => sample.buyerIds.map((id) => list({ buyer_id: id })),
  'first page': () => [list({ limit: '20' })],
  'middle page': (filled) => [list({ limit: '20', cursor: middleOf(filled) })],
}

/**
 * Lookups among few and among many stored methods of the same database, one after the other in every round.
 */
export async function measureLookups(
  engine: Engine,
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const sizes = [await fill(engine, SMALL), await fill(engine, LARGE[engine])]
  const direct =
    engine === 'postgres'
      ? await Promise.all(
          sizes.map((size) => byFingerprint(at(FINGERPRINT, size.count), size.instance.place, size.sample)),
        )
      : []
  const contenders = Object.keys(cases).flatMap((name) => sizes.map((size) => looking(generator, name, size)))
  const results = await interleave([...contenders, ...direct], {
    ...options,
    seconds: Math.min(options.seconds, MAX_SECONDS),
  })
  for (const { stop } of direct) await stop()
  for (const { instance } of sizes) await instance.close()
  const names = [...Object.keys(cases), ...(direct.length > 0 ? [FINGERPRINT] : [])]
  print(engine, names, results)
  return { goals: names.map((name) => goalOf(engine, name, results)), problems: failures(results) }
}

async function fill(engine: Engine, count: number): Promise<Filled> {
  const filled: Pick<Filled, 'sample' | 'cipher'>[] = []
  const instance = await startInstance(engine, async (place) => {
    const began = performance.now()
    filled.push({ sample: await fillPaymentMethods(place, count), cipher: await cipherOf(place) })
    console.error(
      `  ${count.toLocaleString('en-US')} stored methods were filled in within ${((performance.now() - began) / 1000).toFixed(0)} s, ${engine}`,
    )
  })
  const [first] = filled
  if (!first) throw new Error('nothing was filled in')
  return { instance, count, ...first }
}

async function cipherOf({ env }: Place): Promise<Cipher> {
  const settings = readSettings(env)
  const database = await openDatabase(settings)
  const { cipher, masterKeys } = await openVault(database.db, settings)
  await masterKeys.close().finally(database.close)
  return cipher
}

const list = (filters: Record<string, string>) => `/payment-methods?${new URLSearchParams(filters)}`

const unfiltered = { buyerId: null, buyerExternalIdentifier: null, status: [], externalIdentifier: null }

/**
 * The server's own writer of cursors makes the cursor of the middle, so that the benchmark need not page to
 * it.
 */
function middleOf({ cipher, sample: { middle } }: Filled): string {
  const of = `payment-methods/default/${JSON.stringify(unfiltered)}`
  const page = pageOf(
    cipher,
    of,
    { limit: 1, position: undefined },
    [middle, middle],
    (place) => place,
    () => null,
  )
  return page.next_cursor ?? ''
}

const at = (name: string, count: number) => `${name} @ ${count}`

function looking(generator: Generator, name: string, filled: Filled): Contender {
  const { instance, count } = filled
  const paths = cases[name]?.(filled) ?? []
  const load: Omit<Load, 'until'> = {
    url: instance.url,
    method: 'GET',
    paths,
    headers: headersOf(instance),
    connections: CONNECTIONS,
  }
  return {
    name: at(name, count),
    measure: (seconds) => measureLoad(generator, { ...load, until: { seconds } }, instance.cpuMs),
  }
}

/** By their p50: a p99 of a busy machine says more about the machine. */
function growth(engine: Engine, name: string, results: Results): Figure {
  const small = results.get(at(name, SMALL)) ?? []
  return figure(
    (results.get(at(name, LARGE[engine])) ?? []).map(
      (large, round) => (large.p50 ?? Number.NaN) / (small[round]?.p50 ?? Number.NaN),
    ),
  )
}

function print(engine: Engine, names: string[], results: Results): void {
  const of = (name: string, count: number) =>
    [over(results, at(name, count), ({ p50 }) => p50), over(results, at(name, count), ({ p99 }) => p99)].map(
      ({ median }) => number(median),
    )
  const rows = names.map((name) => [
    name,
    ...of(name, SMALL),
    ...of(name, LARGE[engine]),
    spread(growth(engine, name, results)),
  ])
  const large = LARGE[engine].toLocaleString('en-US')
  console.log(`\n### Stored methods, ${engine}\n`)
  console.log(
    table(
      ['', 'p50 ms, 10,000', 'p99 ms, 10,000', `p50 ms, ${large}`, `p99 ms, ${large}`, 'p50 large ÷ small'],
      rows,
    ),
  )
}

const goalOf = (engine: Engine, name: string, results: Results): Goal => ({
  name: `P9 stored methods, ${name}: ${LARGE[engine].toLocaleString('en-US')} ÷ 10,000, ${engine}`,
  figure: growth(engine, name, results),
  unit: '',
  better: 'lower',
  gate: 2,
  aim: 1.3,
})

import { calibrate } from './machine.ts'
import { type Figure, figure } from './statistics.ts'

export interface Measured {
  /** Per second. */
  rate: number
  /** Milliseconds; absent if nothing waits. */
  p50?: number
  p99?: number
  /** CPU milliseconds of server and database for each request. */
  cpuMs?: number
  /** 99th percentile of the server's event loop delay, milliseconds. */
  loopDelay?: number
  errors: number
}

export interface Contender {
  name: string
  measure(seconds: number): Promise<Measured>
}

export type Results = Map<string, Measured[]>

const MAX_DRIFT = 0.25
const WARM_UP_SECONDS = 1

/**
 * Measures every contender in every round, forwards and backwards, so that a disturbance affects all alike:
 * figures are compared within a round only. A round during which the machine's speed changed by more than a
 * quarter is left out, if any remain.
 */
export async function interleave(
  contenders: Contender[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Results> {
  for (const contender of contenders) await contender.measure(WARM_UP_SECONDS)
  const all: { steady: boolean; measured: Map<string, Measured> }[] = []
  for (let round = 0; round < rounds; round++) {
    const before = calibrate()
    const measured = new Map<string, Measured>()
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
      measured.set(contender.name, await contender.measure(seconds))
    const after = calibrate()
    all.push({ steady: Math.abs(after - before) / Math.max(after, before) <= MAX_DRIFT, measured })
  }
  const steady = all.filter((round) => round.steady)
  const kept = steady.length > 0 ? steady : all
  console.error(
    `  ${kept.length} of ${rounds} rounds kept${steady.length === 0 ? ', none of them steady' : ''}`,
  )
  return new Map(
    contenders.map(({ name }) => [
      name,
      kept.map(({ measured }) => measured.get(name) ?? { rate: Number.NaN, errors: 1 }),
    ]),
  )
}

const of = (results: Results, name: string): Measured[] => results.get(name) ?? []

/** One quantity over the rounds. */
export const over = (
  results: Results,
  name: string,
  pick: (measured: Measured) => number | undefined,
): Figure => figure(of(results, name).map((measured) => pick(measured) ?? Number.NaN))

/** The ratio of two contenders' rates in each round. */
export const ratio = (results: Results, ours: string, theirs: string): Figure =>
  figure(of(results, ours).map(({ rate }, round) => rate / (of(results, theirs)[round]?.rate ?? Number.NaN)))

/** The contenders with failures, and their number. */
export const failures = (results: Results): string[] =>
  [...results]
    .map(([name, measured]) => ({ name, errors: measured.reduce((sum, { errors }) => sum + errors, 0) }))
    .filter(({ errors }) => errors > 0)
    .map(({ name, errors }) => `${errors} requests of "${name}" failed`)

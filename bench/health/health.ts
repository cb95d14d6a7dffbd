import type { Options } from '../options.ts'
import { type Goal, number, table } from '../report.ts'
import { figure, median } from '../statistics.ts'
import { type Observed, type OutageKind, observeOutage } from './outage.ts'
import { priceOfHealth } from './price.ts'

const SECONDS_DEAD = 60
const deaths: readonly OutageKind[] = ['refuses connections', 'drops connections', 'never answers']

/** The effect of a payment service's outage on its payments and on all others. */
export async function measureHealth({ rounds }: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const observed = new Map<OutageKind, Observed[]>()
  const withoutOutage: number[] = []
  for (let round = 0; round < rounds; round++) {
    withoutOutage.push((await observeOutage('stays alive', SECONDS_DEAD)).othersP99)
    for (const death of deaths)
      observed.set(death, [...(observed.get(death) ?? []), await observeOutage(death, SECONDS_DEAD)])
  }
  const usualP99 = median(withoutOutage)
  const over = (death: OutageKind, pick: (seen: Observed) => number) =>
    figure((observed.get(death) ?? []).map(pick))
  const picked = [
    (seen: Observed) => seen.opensAfter,
    (seen: Observed) => seen.callsEach,
    (seen: Observed) => seen.askedAMinute,
    (seen: Observed) => seen.othersP99 / usualP99,
  ]
  console.log(
    `\n### A payment service dies under 20 payments a second, and stays dead for ${SECONDS_DEAD} s\n`,
  )
  console.log(
    table(
      ['it', 'opens after s', 'calls each', 'asked a minute while open', 'p99 of others ÷ usual'],
      deaths.map((death) => [death, ...picked.map((pick) => number(over(death, pick).median))]),
    ),
  )
  const goals = deaths.flatMap((death): Goal[] => [
    {
      name: `R20 opens when it ${death}`,
      figure: over(death, (seen) => seen.opensAfter),
      unit: 's',
      better: 'lower',
      gate: 5,
    },
    {
      name: `R20 calls each payment when it ${death}`,
      figure: over(death, (seen) => seen.callsEach),
      unit: '',
      better: 'lower',
      gate: 1.1,
    },
    {
      name: `R20 p99 of other payments ÷ without an outage, when it ${death}`,
      figure: over(death, (seen) => seen.othersP99 / usualP99),
      unit: '',
      better: 'lower',
      gate: 1.1,
    },
  ])
  goals.push({
    name: 'CPU of watching, each payment',
    figure: figure(await priceOfHealth(Math.max(3, rounds))),
    unit: 'µs',
    better: 'lower',
  })
  return { goals, problems: [] }
}

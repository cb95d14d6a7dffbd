import type { Options } from '../options.ts'
import { type Goal, number, table } from '../report.ts'
import { figure } from '../statistics.ts'
import { type Death, type Observed, observeDeath } from './death.ts'
import { priceOfHealth } from './price.ts'

const SECONDS_DEAD = 30
const deaths: readonly Death[] = ['refuses connections', 'drops connections', 'never answers']

/** What becomes of payments when a payment service dies (FIGURES R20), and what all others pay for that. */
export async function measureHealth({ rounds }: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const observed = new Map<Death, Observed[]>()
  for (let round = 0; round < rounds; round++)
    for (const death of deaths) observed.set(death, [...(observed.get(death) ?? []), await observeDeath(death, SECONDS_DEAD)])
  const over = (death: Death, pick: (seen: Observed) => number) => figure((observed.get(death) ?? []).map(pick))
  console.log(`\n### A payment service dies under 20 payments a second, and stays dead for ${SECONDS_DEAD} s\n`)
  console.log(
    table(
      ['it', 'opens after s', 'calls each', 'asked a minute while open'],
      deaths.map((death) => [
        death,
        ...[over(death, (seen) => seen.opensAfter), over(death, (seen) => seen.callsEach), over(death, (seen) => seen.askedAMinute)].map(
          ({ median }) => number(median),
        ),
      ]),
    ),
  )
  const goals = deaths.flatMap((death): Goal[] => [
    { name: `R20 opens when it ${death}`, figure: over(death, (seen) => seen.opensAfter), unit: 's', better: 'lower', gate: 5 },
    { name: `R20 calls each payment when it ${death}`, figure: over(death, (seen) => seen.callsEach), unit: '', better: 'lower', gate: 1.1 },
  ])
  goals.push({ name: 'CPU of watching, each payment', figure: figure(await priceOfHealth(Math.max(3, rounds))), unit: 'µs', better: 'lower' })
  return { goals, problems: [] }
}

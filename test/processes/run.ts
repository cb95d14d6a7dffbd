import { seeded } from '../crash/chance.ts'
import type { Findings } from '../crash/oracle.ts'
import { proof, reportFindings, requirePostgres } from '../support/proof.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { killAndCompare, killTwo } from './kills.ts'
import { callOften, offerTooMany, pullAtOnePayment, sendOneKeyTogether } from './rounds.ts'

// bash scripts/with-postgres.sh npm run test:processes -- --rounds 20 --seed 7 --money, --keys: rounds of
// payments that 64 requests pull at, and of 100 requests under one key; --calls: of a server, none of which
// is limited

const { rounds, money, keys, calls, seed } = proof('processes', {
  rounds: 20,
  money: 100,
  keys: 100,
  calls: 20_000,
  seed: 1,
})
requirePostgres()

async function times(count: number, round: () => Promise<Findings>): Promise<Findings> {
  const findings: Findings = []
  for (let index = 0; index < count; index++) findings.push(...(await round()))
  return findings
}

/**
 * All of it on a fleet of so many processes that answer; its payments are compared with the books at the end.
 */
async function exercise(fleet: Fleet, apis: number): Promise<void> {
  const chance = seeded(seed)
  reportFindings(await offerTooMany(fleet), `${apis} api: 500 requests of one browser's token`)
  reportFindings(
    await times(keys, () => sendOneKeyTogether(fleet, chance)),
    `${apis} api: ${keys} times 100 requests under one key`,
  )
  reportFindings(
    await times(money, () => pullAtOnePayment(fleet, chance)),
    `${apis} api: ${money} payments with 64 requests at once`,
  )
  if (calls > 0) reportFindings(await callOften(fleet, calls), `${apis} api: ${calls} calls of a server`)
}

for (const apis of [1, 2, 4]) {
  const fleet = await startFleet({ apis, workers: 1 })
  try {
    await exercise(fleet, apis)
    const { findings } = await killAndCompare(fleet, { seed, faults: false, strike: async () => undefined })
    reportFindings(findings, `${apis} api: what is left, against the books`)
  } finally {
    await fleet.close()
  }
}
for (const faults of rounds > 0 ? [false, true] : []) {
  console.log(
    `2 api, 2 worker, one of each killed ${rounds} times, ${faults ? 'with' : 'without'} faults, --seed ${seed}`,
  )
  const fleet = await startFleet({ apis: 2, workers: 2 })
  const { findings, ...figures } = await killAndCompare(fleet, {
    seed,
    faults,
    progress: (line) => console.log(`  ${line}`),
    async strike(_, chance) {
      for (let round = 1; round <= rounds; round++) await killTwo(fleet, chance)
    },
  }).finally(() => fleet.close())
  console.log(JSON.stringify(figures))
  reportFindings(findings, 'killed')
}

import { parseArgs } from 'node:util'
import { seeded } from '../crash/chance.ts'
import type { Findings } from '../crash/oracle.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { callOften, offerTooMany, pullAtOnePayment, sendOneKeyTogether } from './rounds.ts'
import { killTwo, strikeAndCompare } from './strikes.ts'

// bash scripts/with-postgres.sh npm run test:processes -- --rounds 20 --seed 7
// --money, --keys: rounds of payments that 64 requests pull at, and of 100 requests under one key; --calls: of a server, none of which is limited

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    money: { type: 'string', default: '100' },
    keys: { type: 'string', default: '100' },
    calls: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
})
const [rounds, money, keys] = [Number(values.rounds), Number(values.money), Number(values.keys)]
const [calls, seed] = [Number(values.calls), Number(values.seed)]
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

function tell(what: string, findings: Findings): void {
  console.log(`${what}: ${findings.length} findings`)
  for (const finding of findings) console.log(`FINDING ${finding}`)
  if (findings.length > 0) process.exitCode = 1
}

async function times(count: number, round: () => Promise<Findings>): Promise<Findings> {
  const findings: Findings = []
  for (let index = 0; index < count; index++) findings.push(...(await round()))
  return findings
}

/** All of it on a fleet of so many processes that answer; its payments are compared with the books at the end. */
async function exercise(fleet: Fleet, apis: number): Promise<void> {
  const chance = seeded(seed)
  tell(`${apis} api: 500 requests of one browser's token`, await offerTooMany(fleet))
  tell(`${apis} api: ${keys} times 100 requests under one key`, await times(keys, () => sendOneKeyTogether(fleet, chance)))
  tell(`${apis} api: ${money} payments with 64 requests at once`, await times(money, () => pullAtOnePayment(fleet, chance)))
  if (calls > 0) tell(`${apis} api: ${calls} calls of a server`, await callOften(fleet, calls))
}

for (const apis of [1, 2, 4]) {
  const fleet = await startFleet({ apis, workers: 1 })
  try {
    await exercise(fleet, apis)
    const { findings } = await strikeAndCompare(fleet, { seed, faults: false, strike: async () => undefined })
    tell(`${apis} api: what is left, against the books`, findings)
  } finally {
    await fleet.close()
  }
}
for (const faults of rounds > 0 ? [false, true] : []) {
  console.log(`2 api, 2 worker, one of each killed ${rounds} times, ${faults ? 'with' : 'without'} faults, --seed ${seed}`)
  const fleet = await startFleet({ apis: 2, workers: 2 })
  const { findings, ...figures } = await strikeAndCompare(fleet, {
    seed,
    faults,
    progress: (line) => console.log(`  ${line}`),
    async strike(_, chance) {
      for (let round = 1; round <= rounds; round++) await killTwo(fleet, chance)
    },
  }).finally(() => fleet.close())
  console.log(JSON.stringify(figures))
  tell('killed', findings)
}

import type { Outcome } from '../../src/connectors/contract/outcome.ts'
import { countCall } from '../../src/payment-services/health/call-counts.ts'
import { skipOpenCircuits } from '../../src/payment-services/health/open-circuits.ts'
import { startTestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'

const TIMES = 200_000

/** CPU microseconds of a payment for health: counting its call and reading the open circuits. */
export async function priceOfHealth(rounds: number): Promise<number[]> {
  const railyard = await startTestRailyard({ LOG_LEVEL: 'silent' })
  try {
    const { world, health } = railyard
    await health.stop()
    const { account, paymentServiceId: service } = await openShop(railyard)
    const services = [service]
    const outcome: Outcome = { status: 'approved', amount: 1, facts: {}, references: {} }
    const call = async () => outcome
    const asked = { account, service, kind: 'authorize' } as const
    const bare = async () => {
      await call()
    }
    const watched = async () => {
      await skipOpenCircuits(world, account, services)
      await countCall(world, asked, call)
    }
    await microsecondsOf(watched)
    const prices: number[] = []
    for (let round = 0; round < rounds; round++)
      prices.push(-(await microsecondsOf(bare)) + (await microsecondsOf(watched)))
    return prices
  } finally {
    await railyard.close()
  }
}

async function microsecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < TIMES; index++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TIMES
}

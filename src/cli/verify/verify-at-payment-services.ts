import { openDatabase } from '../../database/open-database.ts'
import { openWorld } from '../../process/railyard.ts'
import type { Settings } from '../../settings.ts'
import { type ComparisonOptions, compareAtPaymentServices } from '../../verify/compare-at-payment-services.ts'
import { interruptible } from '../support/interruptible.ts'

/**
 * `railyard verify --at-payment-services`: answers the exit code. Ctrl-C ends it after the look-ups in
 * progress.
 */
export async function verifyAtPaymentServices(settings: Settings, since: Date): Promise<number> {
  const { world, close } = await openWorld(settings, {
    database: () => openDatabase(settings, { withoutTimeout: true }),
  })
  const stop = new AbortController()
  const options: ComparisonOptions = {
    since,
    stopped: () => stop.signal.aborted,
    onDifference({ operation, ours, theirs }) {
      const { merchant_account_id: account, transaction_id: transaction, kind, id } = operation
      console.error(
        `${account}/${transaction}: ${kind} ${id}: ${ours} here; ${theirs} at the payment service`,
      )
    },
    onUnavailable({ account, id }, reason) {
      console.error(
        `${account}: payment service ${id} cannot be asked (${reason}): its other operations are not compared`,
      )
    },
  }
  try {
    const { compared, findings, notComparable, stopped } = await interruptible(stop, () =>
      compareAtPaymentServices(world, options),
    )
    if (stopped) console.error('Stopped before the last operation')
    console.log(
      `${compared} operations compared at payment services: ${findings} findings, ${notComparable} not comparable`,
    )
    return findings > 0 || stopped ? 1 : 0
  } finally {
    await close()
  }
}

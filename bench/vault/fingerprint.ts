import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import type { Place } from '../instance.ts'
import type { Contender } from '../rounds.ts'
import { quantile } from '../statistics.ts'
import type { Sample } from './fill.ts'

const lookup = 'select id from payment_methods where merchant_account_id = $1 and fingerprint = $2'

/** No operation finds methods by their card; this statement is one such lookup, prepared, from one caller. */
export async function byFingerprint(
  name: string,
  { env }: Place,
  { fingerprints }: Sample,
): Promise<Contender & { stop(): Promise<void> }> {
  const { run, close } = await openDatabase(readSettings(env))
  return {
    name,
    async measure(seconds) {
      const latencies: number[] = []
      let found = 0
      const began = performance.now()
      while (performance.now() < began + seconds * 1000) {
        const sent = performance.now()
        const rows = await run(lookup, ['default', fingerprints[latencies.length % fingerprints.length]])
        latencies.push(performance.now() - sent)
        if (rows.length > 0) found++
      }
      const sorted = latencies.toSorted((a, b) => a - b)
      return {
        rate: latencies.length / seconds,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        errors: latencies.length - found,
      }
    },
    stop: close,
  }
}

import { MAX_MONTHS, type PartitionSize } from '../database/partitions/next-bound.ts'
import type { Settings } from '../settings.ts'

type SizeSettings = Pick<Settings, 'partitionRows' | 'retentionMonths'>

/** Where `PARTITION_ROWS=0` says that Railyard divides nothing by itself. */
const DEFAULT_ROWS = 10_000_000

/** How many partitions of payments there are at least at a time, so that none keeps payments for long. */
const PARTITIONS_KEPT = 12

/** The partitions that an operator asks for, whatever the tables' sizes. */
export const cutSize = ({ partitionRows, retentionMonths }: SizeSettings): PartitionSize => ({
  wanted: partitionRows || DEFAULT_ROWS,
  dividesSmall: true,
  ...(retentionMonths > 0 && {
    maxMonths: Math.min(MAX_MONTHS, Math.floor(retentionMonths / PARTITIONS_KEPT)),
  }),
})

/**
 * The partitions that tables get by themselves. Undefined: none. Where payments are retired, small tables are
 * divided, too, and a partition has few months: its payments go when the last of them may.
 */
export function partitionSize(settings: SizeSettings): PartitionSize | undefined {
  const { partitionRows, retentionMonths } = settings
  if (retentionMonths > 0) return cutSize(settings)
  return partitionRows === 0 ? undefined : { wanted: partitionRows, dividesSmall: false }
}

import pino from 'pino'
import { keepPartitions } from '../database/partitions/keep-partitions.ts'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import { readPartitions } from '../database/partitions/read-partitions.ts'
import type { Settings } from '../settings.ts'
import { withDatabase } from './support/command-database.ts'

const MEGABYTE = 1_000_000

/** Where `PARTITION_ROWS=0` says that Railyard divides nothing by itself. */
const DEFAULT_ROWS = 10_000_000

/** `railyard partitions list`: the partitions of every table, the oldest first. */
export const listPartitions = (settings: Settings): Promise<void> =>
  withDatabase(settings, async ({ db }) => {
    for (const { name, from, to, rows, bytes } of await readPartitions(db))
      console.log(`${name}  ${period(from, to)}  ${rows} rows  ${Math.ceil(bytes / MEGABYTE)} MB`)
  })

/** The months of a partition: `2026-11-01 to 2026-12-01`. */
const period = (from: string | null, to: string | null): string => `${day(from)} to ${day(to)}`
const day = (id: string | null): string =>
  id === null ? 'any time' : new Date(momentOf(id)).toISOString().slice(0, 10)

/** `railyard partitions cut`: gives each table its next partition now. */
export const cutPartitions = (settings: Settings): Promise<void> =>
  withDatabase(
    settings,
    async ({ db, partitions, createFunctions, time }) => {
      const cut = await keepPartitions(
        { db, partitions, machineClock: time, log: pino({ level: 'warn' }) },
        { wanted: settings.partitionRows || DEFAULT_ROWS, dividesSmall: true },
      )
      await createFunctions()
      console.log(
        cut === 0
          ? 'No table was cut: the newest partitions have no payments yet, another process is cutting, or clocks of accounts were moved'
          : `${cut} tables have a new partition`,
      )
    },
    { withoutTimeout: true },
  )

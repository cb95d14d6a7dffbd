import { expect, test } from 'vitest'
import { cutPartitions, retirePartitions } from '../../src/cli/partitions.ts'
import { startOpeningDatabase } from '../../src/process/start-opening-database.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const railyard = await startRailyardForFile()
const settings = { ...railyard.world.settings, retentionMonths: 14 }

test('a start with RETENTION_MONTHS is refused on Citus, and says why', async () => {
  const open = await startOpeningDatabase(settings)
  await expect(open()).rejects.toThrow(/^RETENTION_MONTHS cannot be set: on Citus tables are not divided/)
})

test('no command divides tables or retires payments on Citus', async () => {
  await expect(cutPartitions(settings)).rejects.toThrow(/^on Citus tables are not divided/)
  await expect(retirePartitions(settings, { yes: true })).rejects.toThrow(/^on Citus tables are not divided/)
})

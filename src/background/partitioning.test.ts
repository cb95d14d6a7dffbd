import { expect, test } from 'vitest'
import { seal, startWithDuePayment } from '../../test/support/domains/retention.ts'
import type { World } from '../world.ts'
import { startPartitioning } from './partitioning.ts'

test('payments are retired only while the clocks of the database and of the process agree', async () => {
  const railyard = await startWithDuePayment()
  const { world } = railyard
  await seal(railyard)
  const round = async (more: Partial<World>) => {
    const task = startPartitioning({ ...world, ...more })
    await task.stop()
    return task.runOnce()
  }
  const apart = { clockSkew: () => -13 * 3_600_000 }
  await expect(round(apart)).rejects.toThrow('more than twelve hours apart')
  expect(await world.run('select from transactions', [])).toHaveLength(1)
  expect(await round({ clockSkew: () => 3_600_000 })).toBe(5)
  expect(await world.run('select from transactions', [])).toEqual([])
})

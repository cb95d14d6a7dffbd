import { expect, test } from 'vitest'
import { sharedReads } from './wal-position.ts'

test('calls share a read that begins after them, and never one that had begun before', async () => {
  const reads: PromiseWithResolvers<number>[] = []
  const read = sharedReads(() => {
    const started = Promise.withResolvers<number>()
    reads.push(started)
    return started.promise
  })
  const first = read()
  const second = [read(), read()]
  expect(reads).toHaveLength(1)
  reads[0]?.resolve(1)
  expect(await first).toBe(1)
  await expect.poll(() => reads.length).toBe(2)
  const third = read()
  reads[1]?.resolve(2)
  expect(await Promise.all(second)).toEqual([2, 2])
  await expect.poll(() => reads.length).toBe(3)
  reads[2]?.reject(new Error('no primary'))
  await expect(third).rejects.toThrow('no primary')
  const fourth = read()
  await expect.poll(() => reads.length).toBe(4)
  reads[3]?.resolve(4)
  expect(await fourth).toBe(4)
})

import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { dropSecurityCode, storeSecurityCode, takeSecurityCode } from './security-code.ts'

const railyard = await startRailyardForFile()

const inAnHour = () => new Date(railyard.clock.now() + 3_600_000).toISOString()

test('a security code belongs to one account and one id, and is taken once', async () => {
  const { world } = railyard
  const id = crypto.randomUUID()
  await storeSecurityCode(world, 'berlin', id, '123', inAnHour())
  await storeSecurityCode(world, 'paris', id, '4567', inAnHour())
  expect(await takeSecurityCode(world, 'rome', id)).toBeNull()
  expect(await takeSecurityCode(world, 'berlin', crypto.randomUUID())).toBeNull()
  expect(await takeSecurityCode(world, 'berlin', id.toUpperCase())).toBe('123')
  expect(await takeSecurityCode(world, 'berlin', id)).toBeNull()
  expect(await takeSecurityCode(world, 'paris', id)).toBe('4567')
})

test('a security code replaces the one before, and can be dropped', async () => {
  const { world } = railyard
  const id = crypto.randomUUID()
  await storeSecurityCode(world, 'berlin', id, '123', inAnHour())
  await storeSecurityCode(world, 'berlin', id, '321', inAnHour())
  expect(await takeSecurityCode(world, 'berlin', id)).toBe('321')
  await storeSecurityCode(world, 'berlin', id, '123', inAnHour())
  await dropSecurityCode(world, 'berlin', id)
  expect(await takeSecurityCode(world, 'berlin', id)).toBeNull()
})

test('a security code that was moved to another row cannot be opened, and is gone', async () => {
  const { world } = railyard
  const [id, other] = [crypto.randomUUID(), crypto.randomUUID()]
  await storeSecurityCode(world, 'berlin', id, '123', inAnHour())
  await world.run('update security_codes set id = $2 where id = $1', [id, other])
  await expect(takeSecurityCode(world, 'berlin', other)).rejects.toThrow()
  expect(await takeSecurityCode(world, 'berlin', other)).toBeNull()
})

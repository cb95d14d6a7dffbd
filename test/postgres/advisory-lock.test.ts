import { expect, onTestFinished, test } from 'vitest'
import { takeLock } from '../../src/database/postgres/advisory-lock.ts'
import { ownDatabase } from '../support/railyard.ts'
import { startProxy } from './proxy.ts'

test('a process whose connection to the database is silent learns that another one has its lock now', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  const direct = new URL(own.url)
  const proxy = await startProxy(direct.hostname, Number(direct.port))
  onTestFinished(() => proxy.close().finally(own.drop))
  const through = new URL(own.url)
  through.port = String(proxy.port)
  const lost = Promise.withResolvers<void>()
  const first = await takeLock(through.href, 'lock', lost.resolve)
  expect(first).toBeDefined()
  proxy.fail('black hole')
  const second = await takeLock(own.url, 'lock', () => undefined)
  expect(second).toBeDefined()
  proxy.mend()
  await lost.promise
  await first?.release()
  await second?.release()
})

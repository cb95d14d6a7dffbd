import { createServer, connect as reach, type Socket } from 'node:net'
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

/** The URL of a way to the server on which the answer to the next attempt at a lock stands still. */
async function withLateAnswer(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  const server = createServer((near) => {
    const far = reach(Number(port), hostname)
    sockets.push(near, far)
    near.pipe(far)
    near.on('error', () => undefined).on('close', () => far.destroy())
    // the description of the row has the name of its column
    far.on('data', (answer) => answer.includes('taken') || near.write(answer))
    far.on('error', () => undefined).on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const late = new URL(url)
  late.port = String(typeof address === 'object' && address ? address.port : 0)
  return late.href
}

test('a lock that a server gave too late is free for the next attempt', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const late = takeLock(await withLateAnswer(own.url), 'lock', () => undefined)
  await expect(late).rejects.toThrow('timeout')
  const next = await takeLock(own.url, 'lock', () => undefined)
  expect(next).toBeDefined()
  await next?.release()
})

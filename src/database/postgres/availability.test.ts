import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchAvailability } from './availability.ts'

/** A server that starts and takes no one yet: it counts who connects, and answers nothing. */
let server: Server
let port: number
let connections = 0
beforeAll(async () => {
  server = createServer(() => {
    connections += 1
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

test('while the database does not answer, connections fail at once and do not reach it, but for the listener’s', async () => {
  const availability = watchAvailability()
  availability.markUnavailable()
  const pool = new pg.Pool({ host: '127.0.0.1', port, stream: availability.socket })
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => pool.query('select 1')))
  expect(asked.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(
    Array(20).fill('Error: Connection terminated: the database does not answer'),
  )

  const listener = availability.listenerSocket().connect(port, '127.0.0.1')
  await once(listener, 'connect')
  expect(connections).toBe(1)
  listener.destroy()
  await pool.end()
})

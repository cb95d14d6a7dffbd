import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import type { App } from '../app.ts'
import { listenWithSockets } from './listening-sockets.ts'

const HOST = '127.0.0.1'
const CONNECTIONS = 400
/** Many fewer than connections. The kernel distributes these unevenly over the sockets. */
const TURNS = 60

const listen = (app: FastifyInstance, port = 0) =>
  listenWithSockets(app as unknown as App, { port, host: HOST, sockets: 32 })

/** Makes the connections while this process waits, so that none is accepted meanwhile. */
function connectMeanwhile(port: string): void {
  const script = `
    let made = 0
    const connected = () => ++made === ${CONNECTIONS} && process.exit()
    for (let count = 0; count < ${CONNECTIONS}; count++) require('node:net').connect(${port}, '${HOST}', connected)`
  execFileSync(process.execPath, ['-e', script])
}

// other systems have one listening socket for a port
test.runIf(process.platform === 'linux')('a busy process accepts many connections in a turn', async () => {
  const app = Fastify()
  const { url, close } = await listen(app)
  onTestFinished(close)
  let accepted = 0
  app.server.on('connection', () => {
    accepted += 1
  })
  connectMeanwhile(new URL(url).port)
  expect(accepted).toBe(0)
  for (let turn = 0; turn < TURNS; turn++) await turnOfLoop()
  expect(accepted).toBe(CONNECTIONS)
})

test('a port that is in use is refused, and a server that has stopped leaves its port', async () => {
  const other = createServer().listen(0, HOST)
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await expect(startTestRailyard({ PORT: String(port) })).rejects.toThrow(
    `PORT: ${port} is in use; choose another, e.g. PORT=${port + 1} npm start`,
  )
  other.close()
  await once(other, 'close')
  for (let again = 0; again < 2; again++) {
    const { url, close } = await listen(Fastify(), port)
    expect(new URL(url).port).toBe(String(port))
    await expect(listen(Fastify(), port)).rejects.toThrow('EADDRINUSE')
    await close()
  }
})

test('a stop waits for the answers on the connections of every listening socket', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' })
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let waiting = 0
  let answered = 0
  app.get('/', async () => {
    waiting += 1
    if (waiting === 100) arrived.resolve()
    await released.promise
    return 'done'
  })
  app.addHook('onResponse', async () => {
    answered += 1
  })
  const { url, close } = await listen(app)
  const answers = Array.from({ length: 100 }, async () => (await fetch(url)).text())
  await arrived.promise
  const stopped = close()
  setImmediate(released.resolve)
  await stopped
  expect(answered).toBe(100)
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']))
})

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTestRailyard } from '../../../test/support/railyard.ts'

test('answers announce a keep-alive of STOP_DELAY_MS, so that clients use no connection that was idle for longer than that', async () => {
  const railyard = await startTestRailyard({ STOP_DELAY_MS: '4000' })
  const { socket, headers } = await live(railyard.url)
  expect(headers['keep-alive']).toBe('timeout=4')
  railyard.world.settings.stopDelay = 0
  await railyard.close()
  socket.destroy()
})

test('without STOP_DELAY_MS, connections are kept for longer than load balancers keep them', async () => {
  const railyard = await startTestRailyard()
  const { socket, headers } = await live(railyard.url)
  expect(headers['keep-alive']).toBe('timeout=75')
  await railyard.close()
  socket.destroy()
})

test('a request in progress at the stop is answered, and its connection closed', async () => {
  const railyard = await startTestRailyard({ STOP_DELAY_MS: '500' })
  const agent = new Agent({ keepAlive: true })
  const client = request(`${railyard.url}/health/live`, {
    method: 'GET',
    agent,
    headers: { 'content-type': 'application/json', 'content-length': 2 },
  })
  client.write('{')
  await once(client, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'))
  const stopped = railyard.close()
  client.end('}')
  const [answer]: IncomingMessage[] = await once(client, 'response')
  expect(answer?.headers.connection).toBe('close')
  expect(answer?.statusCode).toBe(200)
  answer?.resume()
  await stopped
  agent.destroy()
})

test('a connection without a request does not keep the server from stopping', async () => {
  const railyard = await startTestRailyard()
  const socket = connect(Number(new URL(railyard.url).port), '127.0.0.1')
  await once(socket, 'connect')
  // the server has accepted the connection above once it answers a later one
  await railyard.send('GET', '/health/live')
  const ended = once(socket.resume(), 'close')
  await railyard.close()
  await ended
})

test('a client that is gone in the middle of its request does not keep the server from stopping', async () => {
  const railyard = await startTestRailyard()
  const socket = connect(Number(new URL(railyard.url).port), '127.0.0.1')
  const body = 'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{'
  socket.write(`POST /transactions HTTP/1.1\r\nhost: railyard\r\n${body}`)
  // the server has read the beginning of the request above once it answers a later one
  await once(socket, 'connect')
  await railyard.send('GET', '/health/live')
  const ended = once(socket.resume(), 'close')
  await railyard.close()
  await ended
})

async function live(url: string): Promise<IncomingMessage> {
  const [answer]: IncomingMessage[] = await once(
    request(`${url}/health/live`, { agent: new Agent({ keepAlive: true }) }).end(),
    'response',
  )
  if (!answer) throw new Error('no answer')
  return answer.resume()
}

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { lostAnswer, providerHttp } from './http.ts'

const systemError = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall })

test('a request that fails while connecting was not sent', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await new Promise((closed) => server.close(closed))
  const http = providerHttp(1_000)
  onTestFinished(http.close)
  const ask = (url: string) => http.request({ method: 'POST', url, body: {} })
  expect(await ask(`http://127.0.0.1:${port}/payments`)).toMatchObject({
    lost: true,
    sent: false,
    reason: 'ECONNREFUSED',
  })
  expect(await ask('http://nobody.invalid/payments')).toMatchObject({ lost: true, sent: false })
  for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']) {
    expect(lostAnswer(systemError(code, 'connect'))).toEqual({ lost: true, sent: false, reason: code })
    expect(lostAnswer(Object.assign(new AggregateError([]), { code }))).toEqual({
      lost: true,
      sent: false,
      reason: code,
    })
  }
})

test('a request whose connection breaks may have been sent: a reset, a lost route, an unknown error', () => {
  for (const [code, syscall] of [
    ['ECONNRESET', 'read'],
    ['ECONNREFUSED', 'read'],
    ['EHOSTUNREACH', 'read'],
    ['ENETUNREACH', 'write'],
    ['EPIPE', 'write'],
  ] as const)
    expect(lostAnswer(systemError(code, syscall))).toEqual({ lost: true, sent: true, reason: code })
  expect(lostAnswer(new Error('what?'))).toMatchObject({ lost: true, sent: true })
  expect(lostAnswer(new SyntaxError('Unexpected token'))).toMatchObject({ lost: true, sent: true })
})

test('a JSON list is an answer where the request expects one, and a lost answer elsewhere', async () => {
  const server = createHttpServer((_, response) => response.end('[{"id":1}]')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
  const http = providerHttp(1_000)
  onTestFinished(http.close)
  expect(await http.request({ method: 'GET', url, list: true })).toMatchObject({
    status: 200,
    body: { list: [{ id: 1 }] },
  })
  expect(await http.request({ method: 'GET', url })).toMatchObject({ lost: true, sent: true })
})

test('a request gets no more time than its call has left', async () => {
  const server = createHttpServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.closeAllConnections())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
  const http = providerHttp(60_000)
  onTestFinished(http.close)
  expect(await http.request({ method: 'POST', url, body: {} }, 50)).toEqual({
    lost: true,
    sent: true,
    reason: 'no answer in time',
  })
})

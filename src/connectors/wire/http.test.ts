import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('a request that HTTP cannot express was not sent', async () => {
  let received = 0
  const server = createHttpServer((_, response) => {
    received += 1
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const http = providerHttp(1_000)
  onTestFinished(http.close)
  const ask = (path: string, authorization: string) =>
    http.request({ method: 'POST', url: `${url}${path}`, headers: { authorization }, body: {} })
  for (const key of ['Bearer sk_test_1\n', 'Bearer sk_test_1\u{200B}', 'Bearer a\r\nx-other: b'])
    expect(await ask('/payments', key)).toMatchObject({ lost: true, sent: false })
  expect(await ask('/a b', 'Bearer a')).toMatchObject({ lost: true, sent: false })
  expect(await http.request({ method: 'GET', url: 'http://127.0.0.1:99999/' })).toMatchObject({ sent: false })
  expect(received).toBe(0)
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

test('a download follows one redirect, which gets no credential, and none to plain HTTP elsewhere', async () => {
  const received: [string | undefined, string | undefined][] = []
  const targets: Readonly<Record<string, string>> = {
    '/report': '/signed?signature=1',
    '/twice': '/report',
    '/elsewhere': 'http://127.0.0.2:1/secret',
  }
  const server = createHttpServer(({ url = '', headers }, response) => {
    received.push([url, headers.authorization])
    const location = targets[url]
    if (location) response.writeHead(302, { location })
    response.end(location ? '' : 'a,b\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.closeAllConnections())
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const http = providerHttp(1_000)
  onTestFinished(http.close)
  const folder = await mkdtemp(join(tmpdir(), 'railyard-download-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const download = (path: string) =>
    http.download(
      { method: 'GET', url: `${origin}${path}`, headers: { authorization: 'Bearer secret' } },
      join(folder, 'file'),
    )
  expect(await download('/twice')).toBe('HTTP 302')
  expect(await download('/elsewhere')).toBe('HTTP 302')
  received.length = 0
  expect(await download('/report')).toBeNull()
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('a,b\n')
  expect(received).toEqual([
    ['/report', 'Bearer secret'],
    ['/signed?signature=1', undefined],
  ])
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

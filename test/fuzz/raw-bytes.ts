import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { isEnvelope } from './check-answer.ts'

interface Plan {
  messages: number
  seed: number
  /** The milliseconds within which the server answers or closes the connection when no more bytes come. */
  patience: number
}

interface Figures {
  messages: number
  statuses: Record<string, number>
  slowestMs: number
  findings: { wrong: string; message: string; answer: string }[]
}

const AT_ONCE = 8
const json = '{"display_name":"Ada"}'
const head = (first: string, ...headers: string[]) =>
  [first, 'Host: shop.example', ...headers, '', ''].join('\r\n')
const post = (body: string, ...headers: string[]) =>
  `${head('POST /buyers HTTP/1.1', 'Content-Type: application/json', ...headers)}${body}`

/** Messages on which servers and proxies are known to disagree or crash. */
const classics: string[] = [
  post(json, `Content-Length: ${json.length}`),
  // two lengths, and two ways to state one
  post(json, 'Content-Length: 6', `Content-Length: ${json.length}`),
  post(json, 'Content-Length: -1'),
  post(json, 'Content-Length: +22'),
  post(json, 'Content-Length: 0x16'),
  post(json, 'Content-Length: 1e1'),
  post(json, 'Content-Length: 99999999999999999999'),
  post(json, 'Content-Length: 22, 22'),
  post(`0\r\n\r\n${json}`, 'Content-Length: 22', 'Transfer-Encoding: chunked'),
  post(`0\r\n\r\n${json}`, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
  post(`0\r\n\r\n`, 'Transfer-Encoding: xchunked'),
  post(`0\r\n\r\n`, 'Transfer-Encoding : chunked'),
  post(`0\r\n\r\n`, 'Transfer-Encoding:\x0bchunked'),
  post(`0\r\n\r\n`, 'Transfer-Encoding: gzip, chunked'),
  post(`0\r\n\r\n`, 'Transfer-Encoding: chunked, identity'),
  post(`ffffffffffffffff\r\n${json}`, 'Transfer-Encoding: chunked'),
  post(`-1\r\n${json}`, 'Transfer-Encoding: chunked'),
  post(`16;${'x'.repeat(20_000)}\r\n${json}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'),
  post(`16\n${json}\n0\n\n`, 'Transfer-Encoding: chunked'),
  post(`16\r\n${json}\r\n0\r\nTrailer: ${'x'.repeat(40_000)}\r\n\r\n`, 'Transfer-Encoding: chunked'),
  post(json, 'Content-Length: 1000'),
  // request lines
  head('GET / HTTP/0.9'),
  head('GET / HTTP/1.0'),
  head('GET / HTTP/9.9'),
  head('GET / HTTP/1.1 HTTP/1.1'),
  head('GET  /  HTTP/1.1'),
  head('get /buyers HTTP/1.1'),
  head('GET buyers HTTP/1.1'),
  head('GET http://169.254.169.254/latest HTTP/1.1'),
  head('GET //169.254.169.254/latest HTTP/1.1'),
  head('CONNECT 127.0.0.1:5432 HTTP/1.1'),
  head('TRACE / HTTP/1.1'),
  head('OPTIONS * HTTP/1.1'),
  head('PROPFIND / HTTP/1.1'),
  head('QUERY / HTTP/1.1'),
  head('FOO / HTTP/1.1'),
  head(`GET /${'a'.repeat(40_000)} HTTP/1.1`),
  head(`GET /${'../'.repeat(1_000)}etc/passwd HTTP/1.1`),
  head('GET /%00 HTTP/1.1'),
  head('GET /%c0%ae%c0%ae/ HTTP/1.1'),
  head('GET /% HTTP/1.1'),
  head('GET /buyers?% HTTP/1.1'),
  head('GET /buyers/%ud800 HTTP/1.1'),
  head('GET /\x00 HTTP/1.1'),
  head('GET /\xff\xfe HTTP/1.1'),
  head('GET /buyers#x HTTP/1.1'),
  'GET /\n\n',
  '\r\n\r\n\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\x00\x00\x00\x08\x04\xd2\x16\x2f',
  'PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n',
  // headers
  'GET / HTTP/1.1\r\n\r\n',
  head('GET / HTTP/1.1', 'Host: another.example'),
  head('GET / HTTP/1.1', ' folded: yes'),
  head('GET / HTTP/1.1', 'X: a', ' b'),
  head('GET / HTTP/1.1', 'X\x00: a'),
  head('GET / HTTP/1.1', 'X: a\x00b'),
  head('GET / HTTP/1.1', 'X: a\rY: b'),
  head('GET / HTTP/1.1', 'X: a\nY: b'),
  head('GET / HTTP/1.1', ': nameless'),
  head('GET / HTTP/1.1', 'no colon'),
  head('GET / HTTP/1.1', `X: ${'a'.repeat(40_000)}`),
  head('GET / HTTP/1.1', ...Array<string>(3_000).fill('X: a')),
  head('GET / HTTP/1.1', 'Expect: 200-ok'),
  head('POST /buyers HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 2'),
  head(
    'GET / HTTP/1.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: x',
    'Sec-WebSocket-Version: 13',
  ),
  head(
    'GET / HTTP/1.1',
    'Upgrade: h2c',
    'Connection: Upgrade, HTTP2-Settings',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ),
  head('GET /docs HTTP/1.1', 'Host: "<script>"'),
  head('GET / HTTP/1.1', 'Cookie: \x80\xff=;=;;='),
  head('GET / HTTP/1.1', 'Authorization: Bearer \x80.\xff.\x01'),
  // several in one
  `${head('GET /health/live HTTP/1.1')}${head('GET /health/live HTTP/1.1')}${head('GARBAGE')}`,
  head('GET /health/live HTTP/1.1').repeat(200),
]

/** One of these messages with bytes changed, removed, inserted, or two of them spliced. */
const message: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(...classics),
    fc.constantFrom(...classics),
    fc.array(fc.record({ kind: fc.nat(3), at: fc.nat(10_000), byte: fc.nat(255) }), { maxLength: 6 }),
    fc.nat(9),
  )
  .map(([one, another, changes, splice]) => {
    const first = Buffer.from(one, 'latin1')
    const bytes =
      splice === 0
        ? [...first.subarray(0, first.length / 2), ...Buffer.from(another, 'latin1').subarray(0, 500)]
        : [...first]
    for (const { kind, at, byte } of changes) {
      const place = at % Math.max(bytes.length, 1)
      if (kind === 0) bytes[place] = byte
      else if (kind === 1) bytes.splice(place, 1 + (byte % 8))
      else if (kind === 2) bytes.splice(place, 0, byte)
      else bytes.splice(place, 0, ...bytes.slice(place, place + 20))
    }
    return Buffer.from(bytes)
  })

/**
 * Sends bytes that are not or nearly not HTTP: the server answers in its own form or closes the connection,
 * soon.
 */
export async function fuzzBytes(url: string, { messages, seed, patience }: Plan): Promise<Figures> {
  const { hostname, port } = new URL(url)
  const queue = [
    ...classics.map((text) => Buffer.from(text, 'latin1')),
    ...fc.sample(message, { numRuns: Math.max(0, messages - classics.length), seed }),
  ]
  const figures: Figures = { messages: queue.length, statuses: {}, slowestMs: 0, findings: [] }
  const work = async () => {
    for (let bytes = queue.pop(); bytes; bytes = queue.pop()) {
      const sent = bytes
      const began = performance.now()
      const send = () => exchangeBytes(Number(port), hostname, sent, patience)
      // a busy machine stalls every process at times: a real hang happens again
      const answer = (await send()) ?? (await send())
      const took = performance.now() - began
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(took))
      const statuses =
        answer === undefined
          ? []
          : [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
      for (const status of statuses.length > 0 ? statuses : ['none'])
        figures.statuses[status] = (figures.statuses[status] ?? 0) + 1
      const wrong =
        answer === undefined
          ? `open after ${patience} ms`
          : statuses.some((status) => status >= 500)
            ? 'a server error'
            : shapeProblem(answer)
      if (wrong)
        figures.findings.push({
          wrong,
          message: bytes.toString('latin1').slice(0, 500),
          answer: (answer ?? '').slice(0, 500),
        })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return figures
}

/** The problem of a connection's last answer if it is an error. */
function shapeProblem(answer: string): string | undefined {
  const last = answer.slice(answer.lastIndexOf('HTTP/1.1 '))
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(last)?.[1])
  if (!(status >= 400) || !last.includes('\r\n\r\n')) return undefined
  const body = last.slice(last.indexOf('\r\n\r\n') + 4)
  try {
    const parsed: unknown = JSON.parse(body)
    return isEnvelope(parsed, status) ? undefined : 'an error without the right body'
  } catch {
    return 'an error without the right body'
  }
}

/** All bytes until the server closed the connection; undefined if it did not in time. */
async function exchangeBytes(
  port: number,
  host: string,
  bytes: Buffer,
  patience: number,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  const done = () => resolve(Buffer.concat(chunks).toString('latin1'))
  const socket = connect({ port, host, allowHalfOpen: true })
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', done).on('close', done).on('error', done)
  socket.end(bytes)
  const stopped = new AbortController()
  const answer = await Promise.race([
    promise,
    wait(patience, undefined, { signal: stopped.signal }).catch(() => undefined),
  ])
  stopped.abort()
  socket.destroy()
  return answer
}

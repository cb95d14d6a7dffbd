import { createHash, createHmac } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { seeded } from '../crash/chance.ts'
import type { Arrival } from './arrival.ts'
import { isManner, type Manner, names } from './receivers.ts'

// node test/webhooks/receivers.process.ts FOLDER SEED: the merchants' servers. Each appends every request
// that it gets to FOLDER/NAME.jsonl before it answers.

const [, , folder = '', seed = '1'] = process.argv
const chance = seeded(Number(seed))

interface Receiver {
  server: Server
  port: number
  manner: Manner
  secret: string
  /** Ids that it has answered with 200. */
  accepted: Set<string>
}

const listen = (server: Server, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })

async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text)

/** By the specification (semantics §15.3, Standard Webhooks 1.0.0), and not by the code that signs. */
function isSigned(secret: string, headers: IncomingHttpHeaders, body: string, id: string): boolean {
  const [ours, standard] = [headers['x-svc-webhook-timestamp'], headers['webhook-timestamp']]
  return (
    headers['x-svc-webhook-id'] === id &&
    headers['webhook-id'] === id &&
    String(headers['x-svc-webhook-signatures'])
      .split(',')
      .includes(hmac(secret, `${ours}.${body}`).digest('hex')) &&
    String(headers['webhook-signature'])
      .split(' ')
      .includes(`v1,${hmac(secret, `${id}.${standard}.${body}`).digest('base64')}`)
  )
}

/** What becomes of a request: when it is answered, and how. Null: never. */
function answerOf(manner: Manner): { answered: Arrival['answered']; after: number; cut: boolean } {
  if (manner === 'hangs') return { answered: null, after: 0, cut: false }
  if (manner === 'slow') return { answered: 200, after: chance.between(10, 100), cut: false }
  if (manner === 'fails' && chance.odds(0.3))
    return chance.odds(0.5)
      ? { answered: 500, after: 0, cut: false }
      : { answered: null, after: 0, cut: true }
  return { answered: 200, after: 0, cut: false }
}

async function start(name: string): Promise<Receiver> {
  const log = openSync(join(folder, `${name}.jsonl`), 'a')
  const receive = async (headers: IncomingHttpHeaders, bytes: Buffer, reply: ServerResponse) => {
    const body = bytes.toString()
    const { id, sequence, target } = JSON.parse(body)
    const { answered, after, cut } = answerOf(receiver.manner)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const arrival: Arrival = {
      id,
      target: target.id,
      sequence,
      hash,
      signed: isSigned(receiver.secret, headers, body, id),
      answered,
    }
    writeSync(log, `${JSON.stringify(arrival)}\n`)
    if (answered === 200) receiver.accepted.add(id)
    if (cut) reply.destroy()
    else if (answered !== null) setTimeout(() => reply.writeHead(answered).end(), after)
  }
  const server = createServer(async (request, reply) => {
    // a sender that was killed in the middle of it has not sent it
    const bytes = await bodyOf(request).catch(() => undefined)
    if (bytes) await receive(request.headers, bytes, reply)
  })
  const receiver: Receiver = {
    server,
    port: await listen(server, 0),
    manner: 'well',
    secret: '',
    accepted: new Set(),
  }
  return receiver
}

async function change(receiver: Receiver, manner: Manner): Promise<void> {
  const wasDown = receiver.manner === 'down'
  receiver.manner = manner
  if (wasDown && manner !== 'down') await listen(receiver.server, receiver.port)
  if (wasDown || manner !== 'down') return
  const closed = new Promise((resolve) => receiver.server.close(resolve))
  receiver.server.closeAllConnections()
  await closed
}

const receivers = new Map(
  await Promise.all(names.map(async (name) => [name as string, await start(name)] as const)),
)

const control = createServer(async (request, reply) => {
  const [, name = '', word = ''] = (request.url ?? '').split('/')
  const receiver = receivers.get(name)
  if (receiver && word === 'secret') receiver.secret = (await bodyOf(request)).toString()
  else if (receiver && isManner(word)) await change(receiver, word)
  const shown = [...receivers].map(([each, { port, accepted }]) => [
    each,
    { url: `http://127.0.0.1:${port}/hook`, accepted: accepted.size },
  ])
  reply.end(JSON.stringify(Object.fromEntries(shown)))
})
console.log(`listening on http://127.0.0.1:${await listen(control, 0)}`)
process.on('SIGTERM', () => process.exit(0))

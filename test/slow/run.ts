import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startNode } from '../../bench/processes.ts'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { proof } from '../support/proof.ts'
import { firstAnswer, slowClients } from './clients.ts'

// npm run test:slow -- --connections 2000 --rounds 3

const { connections, rounds } = proof('slow', { connections: 2_000, rounds: 3 })
const SAMPLE = 600
const PAUSE_MS = 10

const dataDir = await mkdtemp(join(tmpdir(), 'railyard-slow-'))
const server = await startNode(
  ['src/main.js', 'start'],
  { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: '' },
  /^ +API +(http\S+)$/m,
)
const url = server.said.match[1] ?? ''
const signer = await readSigner(await readFile(privateKeyFile({ dataDir }), 'utf8'))
const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 86_400 }, Date.now())
const target = { port: Number(new URL(url).port), token }
const headers = { authorization: `Bearer ${token}` }

/** Milliseconds of one request after the other, as a merchant sends them: at 99 of 100, and in the middle. */
async function normal(): Promise<{ p50: number; p99: number }> {
  const took: number[] = []
  for (let index = 0; index < SAMPLE; index++) {
    const began = performance.now()
    const answer = await fetch(`${url}/transactions?limit=1`, { headers })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`a normal request was answered ${answer.status}`)
    took.push(performance.now() - began)
    await wait(PAUSE_MS)
  }
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_024
const round = (value: number) => Math.round(value * 10) / 10
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

await normal()
const ratios: number[] = []
const memory: number[] = []
for (let index = 0; index < rounds; index++) {
  const [before, restMb] = [await normal(), residentMb()]
  const slow = await slowClients(target, connections)
  const during = await normal()
  const more = residentMb() - restMb
  console.log(
    `round ${index + 1}: p99 ${round(before.p99)} ms alone, ${round(during.p99)} ms beside ${slow.open()} slow connections (p50 ${round(before.p50)}, ${round(during.p50)}); ${round(more)} MB more`,
  )
  ratios.push(during.p99 / before.p99)
  memory.push(more)
  slow.close()
  await wait(2_000)
}

/** What is too large, and how it must be refused. */
const oversized: [name: string, message: string, status: RegExp][] = [
  [
    'a header of 33 KiB',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(33 * 1_024)}\r\n\r\n`,
    /^HTTP\/1\.1 431 /,
  ],
  ['a body that says it has 1 MiB and a byte', post(''.padEnd(100), 2 ** 20 + 1), /^HTTP\/1\.1 413 /],
  ['a body 33 deep', post(`{"display_name":${'['.repeat(33)}${']'.repeat(33)}}`), /^HTTP\/1\.1 422 /],
  ['a body 100,000 deep', post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /^HTTP\/1\.1 422 /],
]
function post(body: string, length = Buffer.byteLength(body)): string {
  return `POST /buyers HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
}
let refused = true
for (const [name, message, status] of oversized) {
  const answers = []
  for (let index = 0; index < 20; index++) answers.push(await firstAnswer(target, message))
  const well = answers.every(({ answer }) => status.test(answer))
  const ms = median(answers.map(({ ms }) => ms))
  console.log(
    `${name}: ${well ? 'refused' : `NOT as it must be: ${answers[0]?.answer.slice(0, 60)}`} in ${round(ms)} ms`,
  )
  refused &&= well && ms < 50
}
await server.stop()
await rm(dataDir, { recursive: true, force: true })

const ratio = median(ratios)
console.log(
  JSON.stringify({
    connections,
    rounds,
    'p99 ratio': Math.round(ratio * 100) / 100,
    'MB more': round(Math.max(...memory)),
  }),
)
if (ratio > 2 || Math.max(...memory) > 50 || !refused) process.exitCode = 1

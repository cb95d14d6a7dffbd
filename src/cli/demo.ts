import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readSigner, signToken } from '../accounts/private-key.ts'
import { privateKeyFile } from '../instance.ts'
import { verify } from '../operations/verify.ts'
import { type Railyard, startRailyard } from '../railyard.ts'
import { readSettings } from '../settings.ts'

type Json = Record<string, unknown>

/** A merchant's backend, as small as it can be. */
interface Backend {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>
}

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

const money = (amount: unknown) => `${(Number(amount) / 100).toFixed(2)} USD`

/** `railyard demo`: a throw-away instance, a payment through its life, and what happens when a payment service's answer is lost. */
export async function demo(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-demo-'))
  const settings = readSettings({ DATA_DIR: dataDir, PORT: '0', PROVIDER_TIMEOUT_MS: '2000', RECOVERY_INTERVAL_MS: '200' })
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }), inMemory: true })
  try {
    console.log(`A throw-away Railyard runs at ${railyard.url}; its payment service is the sandbox's simulator.\n`)
    const signer = await readSigner(await readFile(privateKeyFile(settings), 'utf8'))
    const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 600 }, Date.now())
    await walk(railyard, backend(railyard.url, token))
  } finally {
    await railyard.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const backend = (url: string, token: string): Backend => ({
  async send(method, path, body, headers = {}) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const shown = (await answer.json()) as Json
    console.log(`   ${method} ${path} → ${answer.status}`)
    return shown
  },
})

let step = 0
const tell = (title: string) => {
  step += 1
  console.log(`${step}. ${title}`)
}
const say = (text: string) => console.log(`   ${text}\n`)

async function walk({ world }: Railyard, { send }: Backend): Promise<void> {
  tell('Authorize 25.00 USD')
  const payment = await send('POST', '/transactions', { amount: 2500, currency: 'USD', payment_method: card })
  const { scheme, label } = payment['payment_method'] as Json
  say(`${payment['status']}: ${money(payment['authorized_amount'])} are held on the ${scheme} card that ends in ${label}.`)

  tell('Capture it')
  const captured = await send('POST', `/transactions/${payment['id']}/capture`, {})
  say(`${captured['status']}: ${money(captured['captured_amount'])} were taken.`)

  tell('Give 10.00 back')
  const refund = await send('POST', `/transactions/${payment['id']}/refunds`, { amount: 1000, reason: 'One item returned' })
  say(`refund ${refund['status']}: ${money(refund['amount'])}.`)

  tell('Try to give back more than is left')
  const refused = await send('POST', `/transactions/${payment['id']}/refunds`, { amount: 2000 })
  say(`refused, and nothing happened: ${(refused['details'] as Json[])[0]?.['message']}.`)

  tell('A decline (the sandbox declines 2000.11 USD for lack of funds)')
  const declined = await send('POST', '/transactions', { amount: 200011, currency: 'USD', payment_method: card })
  say(`${declined['status']}, ${declined['error_code']}: an outcome with a reason, not an HTTP error. Offer another card.`)

  tell('The same request twice under one idempotency key, as after a broken connection')
  const key = { 'idempotency-key': 'order-4711' }
  const first = await send('POST', '/transactions', { amount: 990, currency: 'USD', payment_method: card }, key)
  const second = await send('POST', '/transactions', { amount: 990, currency: 'USD', payment_method: card }, key)
  say(first['id'] === second['id'] ? `one payment, ${first['id']}, and the same answer twice.` : 'two payments: this must never be seen.')

  tell('The payment service charges the card, and its answer is lost')
  await send('PUT', '/sandbox/faults', { items: [{ operation: 'authorize', kind: 'lost', times: 1 }] })
  const lost = await send('POST', '/transactions', { amount: 5000, currency: 'USD', payment_method: card })
  say(`${lost['status']}: nobody knows yet whether the money moved, so nothing else is tried, neither here nor elsewhere.`)

  tell('Railyard reads the payment service’s books, by itself; sync does it at once')
  const found = await send('POST', `/transactions/${lost['id']}/sync`)
  say(`${found['status']}: the charge was there. Charged once, and not lost.`)

  tell('Proof: every amount computed again from the journal of operations')
  const { transactions, operations, findings } = await verify(world.run)
  say(`${transactions} transactions and ${operations} operations checked: ${findings.length} findings.`)
  console.log('Your own: npm start')
}

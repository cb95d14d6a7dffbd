import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readSigner, signToken } from '../accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../process/create-instance.ts'
import { startRailyard } from '../process/railyard.ts'
import { readSettings } from '../settings.ts'
import { verify } from '../verify/verify.ts'
import type { World } from '../world.ts'

type Json = Record<string, unknown>

/** A small merchant's backend with its buyer, which prints what it does. */
interface DemoClient {
  /** Prints the title of the next step. */
  step(title: string): void
  /** Prints the result of a step. */
  result(text: string): void
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>
  /** The buyer approves at a page of the payment service; answers the URL that the page redirects to. */
  approve(page: string): Promise<string>
  /** The buyer's browser opens a URL; answers the URL that it is redirected to. */
  follow(url: string): Promise<string>
}

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }
const wallet = {
  method: 'wallet',
  country: 'US',
  currency: 'USD',
  redirect_url: 'https://shop.example/thanks',
}

const money = (amount: unknown) => `${(Number(amount) / 100).toFixed(2)} USD`

/**
 * `railyard demo`: makes a throw-away instance, walks payments through it, and shows what happens when a
 * payment service's answer is lost.
 */
export async function demo(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-demo-'))
  const settings = readSettings({
    DATA_DIR: dataDir,
    PORT: '0',
    PROVIDER_TIMEOUT_MS: '2000',
    RECOVERY_INTERVAL_MS: '200',
  })
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }), inMemory: true })
  try {
    console.log(
      `A throw-away Railyard runs at ${railyard.url}; its payment services are the sandbox's simulators.\n`,
    )
    const signer = await readSigner(await readFile(privateKeyFile(settings), 'utf8'))
    const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 600 }, Date.now())
    const client = demoClient(railyard.url, token)
    await cardPayment(client)
    await declineAndRepetition(client)
    await redirectFlow(client)
    await clientFlow(client)
    await lostAnswer(client)
    await verifyJournal(client, railyard.world)
    console.log('Your own: npm start')
  } finally {
    await railyard.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function demoClient(url: string, token: string): DemoClient {
  let steps = 0
  const show = (line: string) => console.log(`   ${line}`)
  return {
    step(title) {
      steps += 1
      console.log(`${steps}. ${title}`)
    },
    result: (text) => show(`${text}\n`),
    async send(method, path, body, headers = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      show(`${method} ${path.replace(/token=[^&]*/, 'token=…')} → ${answer.status}`)
      return (await answer.json()) as Json
    },
    async approve(page) {
      const answer = await fetch(`${page}/approve`, {
        method: 'POST',
        headers: { accept: 'application/json' },
      })
      show(`the buyer approves at ${new URL(page).pathname.split('/').slice(0, 4).join('/')}/…`)
      return String(((await answer.json()) as Json)['redirect_to'])
    },
    async follow(link) {
      const answer = await fetch(link, { redirect: 'manual' })
      return answer.headers.get('location') ?? ''
    },
  }
}

async function cardPayment({ step, result, send }: DemoClient): Promise<void> {
  step('Authorize 25.00 USD')
  const payment = await send('POST', '/transactions', { amount: 2500, currency: 'USD', payment_method: card })
  const { scheme, label } = payment['payment_method'] as Json
  result(
    `${payment['status']}: ${money(payment['authorized_amount'])} are held on the ${scheme} card that ends in ${label}.`,
  )

  step('Capture it')
  const captured = await send('POST', `/transactions/${payment['id']}/capture`, {})
  result(`${captured['status']}: ${money(captured['captured_amount'])} were taken.`)

  step('Give 10.00 back')
  const refund = await send('POST', `/transactions/${payment['id']}/refunds`, {
    amount: 1000,
    reason: 'One item returned',
  })
  result(`refund ${refund['status']}: ${money(refund['amount'])}.`)

  step('Try to give back more than is left')
  const refused = await send('POST', `/transactions/${payment['id']}/refunds`, { amount: 2000 })
  result(`refused, and nothing happened: ${(refused['details'] as Json[])[0]?.['message']}.`)
}

async function declineAndRepetition({ step, result, send }: DemoClient): Promise<void> {
  step('A decline (the sandbox declines 2000.11 USD for lack of funds)')
  const declined = await send('POST', '/transactions', {
    amount: 200011,
    currency: 'USD',
    payment_method: card,
  })
  result(
    `${declined['status']}, ${declined['error_code']}: an outcome with a reason, not an HTTP error. Offer another card.`,
  )

  step('The same request twice under one idempotency key, as after a broken connection')
  const key = { 'idempotency-key': 'order-4711' }
  const first = await send(
    'POST',
    '/transactions',
    { amount: 990, currency: 'USD', payment_method: card },
    key,
  )
  const second = await send(
    'POST',
    '/transactions',
    { amount: 990, currency: 'USD', payment_method: card },
    key,
  )
  result(
    first['id'] === second['id']
      ? `one payment, ${first['id']}, and the same answer twice.`
      : 'two payments: this must never be seen.',
  )
}

async function redirectFlow({ step, result, send, approve, follow }: DemoClient): Promise<void> {
  step('A wallet payment: the buyer is sent to the wallet’s page, and comes back')
  const payment = await send('POST', '/transactions', {
    amount: 4200,
    currency: 'USD',
    country: 'US',
    payment_method: wallet,
  })
  const { approval_url } = payment['payment_method'] as Json
  const back = await follow(await approve(String(approval_url)))
  const paid = await send('GET', `/transactions/${payment['id']}`)
  result(
    `${payment['status']} became ${paid['status']}; the buyer is at ${back.split('?')[0]}?svc_transaction_status=${paid['status']}.`,
  )
}

async function clientFlow({ step, result, send, approve }: DemoClient): Promise<void> {
  step(
    'The same without leaving the merchant’s page: it runs the wallet’s script, and the backend completes the payment',
  )
  const payment = await send('POST', '/transactions', {
    amount: 4200,
    currency: 'USD',
    country: 'US',
    intent: 'capture',
    integration_client: 'web',
    payment_method: wallet,
  })
  const session = await send(
    'GET',
    `/transactions/${payment['id']}/session?token=${payment['session_token']}`,
  )
  const { orderId } = session['session_data'] as Json
  const early = await send('GET', `/transactions/${payment['id']}/complete`)
  result(`the page shows order ${orderId}; completing it before the buyer has approved: ${early['code']}.`)
  const service = (payment['payment_service'] as Json)['id']
  await approve(
    `${new URL(String(session['default_completion_url'])).origin}/sandbox/providers/wallet/${service}/checkout/${orderId}`,
  )
  const completed = await send('GET', `/transactions/${payment['id']}/complete`)
  const again = await send('GET', `/transactions/${payment['id']}/complete`)
  result(
    `${completed['status']}, ${money(completed['captured_amount'])}; asked once more: ${again['status']}, and nothing was charged again.`,
  )
}

async function lostAnswer({ step, result, send }: DemoClient): Promise<void> {
  step('The payment service charges the card, and its answer is lost')
  await send('PUT', '/sandbox/faults', { items: [{ operation: 'authorize', kind: 'lost', times: 1 }] })
  const lost = await send('POST', '/transactions', { amount: 5000, currency: 'USD', payment_method: card })
  result(
    `${lost['status']}: it is not known yet whether the money moved, so Railyard tries nothing else for this payment.`,
  )

  step('Railyard reads the payment service’s books, by itself; sync does it at once')
  const found = await send('POST', `/transactions/${lost['id']}/sync`)
  result(`${found['status']}: the charge was there. Charged once, and not lost.`)
}

async function verifyJournal({ step, result }: DemoClient, { run }: World): Promise<void> {
  step('Proof: every amount computed again from the journal of operations')
  const { transactions, operations, findings } = await verify(run)
  result(`${transactions} transactions and ${operations} operations checked: ${findings.length} findings.`)
}

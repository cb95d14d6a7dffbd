import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  declinedAmounts,
  failedAmounts,
  followUpAmounts,
  outcomeForAmount,
  partialApprovalAmount,
  pendingAmounts,
  settlementScenarios,
} from '../sandbox/core/amounts.ts'
import type { Amounts, Railyard, startRailyard as StartRailyard } from './testing.d.cts'

const require = createRequire(import.meta.url)
const {
  startRailyard,
  amounts,
}: { startRailyard: typeof StartRailyard; amounts: Amounts } = require('./start-railyard.cjs')
const {
  makePrivate,
  sharedFolder,
}: { makePrivate: (folder: string) => void; sharedFolder: () => string } = require('./connect.cjs')

let first: Railyard
let second: Railyard
const before = process.env['TMPDIR']
const folder = mkdtempSync(join(tmpdir(), 'railyard-testing-test-'))

const pay = (merchant: Railyard, amount: number, more = {}) =>
  merchant.post('/transactions', { amount, currency: 'EUR', payment_method: merchant.card, ...more })

beforeAll(async () => {
  // an instance that other tests of this machine do not share
  process.env['TMPDIR'] = folder
  const ending = await startEndingInstance()
  ;[first, second] = await Promise.all([startRailyard(), startRailyard()])
  connectedToEnding = ending.connected()
})

/** The folders of instances. */
const instanceFolders = () => readdirSync(folder).filter((name) => /^railyard-[0-9a-f]{16}$/.test(name))
const pidOf = (name: string): number => JSON.parse(readFileSync(join(folder, name, 'lock.json'), 'utf8')).pid

let connectedToEnding = 0
/**
 * An instance that ends when tests have connected: it runs before the one that they start. `connected`
 * answers how many have connected to it.
 */
async function startEndingInstance(): Promise<{ connected: () => number }> {
  let connected = 0
  const ending = createServer((test) => {
    connected += 1
    test.once('data', () => ending.close(() => undefined) && test.destroy())
  })
  makePrivate(sharedFolder())
  ending.listen(join(sharedFolder(), 'socket'))
  await once(ending, 'listening')
  return { connected: () => connected }
}

afterAll(async () => {
  await first.close()
  await second.close()
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  rmSync(folder, { recursive: true, force: true })
})

test('tests that start at the same time share one instance, each as a merchant of its own', async () => {
  expect(first.url).toBe(second.url)
  const payment = await pay(first, amounts.approved)
  expect(payment).toMatchObject({
    status: 201,
    body: { status: 'authorization_succeeded', merchant_account_id: first.account },
  })
  expect(await second.get(`/transactions/${payment.body.id}`)).toMatchObject({ status: 404 })
})

test('webhooks.next waits for a webhook, and answers each event once', async () => {
  const { body: payment } = await pay(first, amounts.approved, { intent: 'capture' })
  expect(await first.webhooks.next('transaction.captured', { about: payment.id })).toMatchObject({
    target: { id: payment.id, captured_amount: 1299 },
  })
  await expect(
    first.webhooks.next('transaction.captured', { about: payment.id, timeout: 1 }),
  ).rejects.toThrow(
    new RegExp(
      `no webhook transaction.captured about ${payment.id} came within 1 ms; these did:\\n[\\s\\S]* transaction.captured .*was given before`,
    ),
  )
  expect(second.webhooks.all()).toEqual([])
  await expect(second.webhooks.next('refund.succeeded', { timeout: 1 })).rejects.toThrow('none came at all')
})

test('a delivery that is not signed with the secret is refused and not listed', async () => {
  const forged = await fetch(second.webhooks.url, {
    method: 'POST',
    body: '{}',
    headers: { 'x-svc-webhook-signatures': '00' },
  })
  expect(forged.status).toBe(401)
  expect(second.webhooks.all()).toEqual([])
})

test('faults affect their own merchant only, and stay when another merchant sets faults', async () => {
  await first.faults.set([{ operation: 'authorize', kind: 'lost', times: 1 }])
  await second.faults.set([{ operation: 'authorize', kind: 'error' }])
  await second.faults.clear()
  expect((await pay(second, 1299)).body.status).toBe('authorization_succeeded')
  const lost = await pay(first, 1299)
  expect(lost.body.status).toBe('processing')
  await first.webhooks.next('transaction.authorized', { about: lost.body.id, timeout: 20_000 })
  await first.faults.clear()
})

test('clock.advance moves the time of one merchant, and runs what falls due on the way', async () => {
  const { body: link } = await first.post('/payment-links', {
    amount: 1299,
    currency: 'EUR',
    country: 'DE',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const other = await second.clock.now()
  const reached = await first.clock.advance({ days: 6, hours: 24 })
  expect(reached.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
  expect((await first.get(`/payment-links/${link.id}`)).body.status).toBe('expired')
  expect((await second.clock.now()).getTime()).toBeLessThan(other.getTime() + 86_400_000)
})

test('simulate makes a bank dispute a payment', async () => {
  const { body: payment } = await pay(first, amounts.approved, { intent: 'capture' })
  await first.simulate(payment.id, 'disputed', { amount: 500 })
  expect((await first.get(`/transactions/${payment.id}/chargebacks`)).body.items).toHaveLength(1)
})

test('a helper throws with the answer if its request is refused', async () => {
  await expect(first.simulate(randomUUID(), 'settled')).rejects.toThrow('was answered 404')
  await expect(first.faults.set([{ operation: 'nothing' as never, kind: 'lost' }])).rejects.toThrow(
    /PUT \/sandbox\/faults.* was answered 422/,
  )
})

test('a token has the requested scopes and lifetime, and is for its own account only', async () => {
  const answer = (headers: Record<string, string>) => fetch(`${first.url}/buyers`, { headers })
  expect((await answer({ authorization: `Bearer ${first.token()}` })).status).toBe(200)
  expect((await answer(first.headers)).status).toBe(200)
  expect(
    (await answer({ authorization: `Bearer ${first.token({ scopes: ['transactions.read'] })}` })).status,
  ).toBe(403)
  expect((await answer({ ...first.headers, 'x-svc-merchant-account-id': second.account })).status).toBe(403)
  expect((await answer({ authorization: `Bearer ${first.token({ expiresIn: -60 })}` })).status).toBe(401)
})

test('wrong arguments throw an error that names the argument', async () => {
  await expect(first.get('transactions')).rejects.toThrow('a path begins with a slash: /transactions')
  await expect(first.clock.advanceTo('tomorrow')).rejects.toThrow('clock.advanceTo takes a time')
  await expect(first.clock.advance({ days: -1 })).rejects.toThrow('and goes forward')
  expect(() => first.token({ expiresIn: '60' as never })).toThrow('whole number of seconds')
  expect(() => first.token({ scopes: '*.read' as never })).toThrow('scopes takes a list')
})

test('an isolated instance has its own settings, and ends when it is closed', async () => {
  await expect(startRailyard({ settings: { INSTANCE_ID: 'shop' } })).rejects.toThrow('isolated: true')
  await expect(startRailyard({ isolated: true, settings: { INSTANCE_ID: 'Not a name' } })).rejects.toThrow(
    /did not start:\n.*INSTANCE_ID must be/,
  )
  await expect(startRailyard({ isolated: true, settings: { INSTANCE: 'shop' } })).rejects.toThrow(
    /did not start:\n.*INSTANCE is no setting: .*INSTANCE_ID/,
  )
  const isolated = await startRailyard({ isolated: true, settings: { INSTANCE_ID: 'shop' } })
  expect(isolated.url).not.toBe(first.url)
  await pay(isolated, 1299)
  expect(await isolated.webhooks.next('transaction.authorized')).toMatchObject({ svc_id: 'shop' })
  await isolated.close()
  await expect(fetch(isolated.url)).rejects.toThrow()
})

test('a test that connects to an instance that is ending starts another one', () => {
  expect(connectedToEnding).toBeGreaterThan(0)
  expect(first.url).toMatch(/^http/)
})

test('close removes the folder of an isolated instance that was killed', async () => {
  const before = instanceFolders()
  const isolated = await startRailyard({ isolated: true })
  const [killed = ''] = instanceFolders().filter((name) => !before.includes(name))
  process.kill(pidOf(killed), 'SIGKILL')
  await isolated.close()
  expect(instanceFolders()).toEqual(before)
})

const camelCase = (code: string) => code.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

test('the amounts are those of the sandbox', () => {
  const { approved, partlyApproved, declined, failed, pending, refused, settled } = amounts
  expect(outcomeForAmount('authorize', approved).status).toBe('approved')
  expect(partlyApproved).toBe(partialApprovalAmount)
  expect(declined).toEqual(
    Object.fromEntries(declinedAmounts.map(([amount, code]) => [camelCase(code), amount])),
  )
  expect(failed).toEqual(Object.fromEntries(failedAmounts.map(([amount, code]) => [camelCase(code), amount])))
  const pendingByKind = pendingAmounts.flatMap(([kind, amount]) =>
    kind === 'sale' ? [] : [[kind === 'authorize' ? 'authorization' : kind, amount]],
  )
  expect(pending).toEqual(Object.fromEntries(pendingByKind))
  expect(settled).toEqual(
    Object.fromEntries(
      Object.entries(settlementScenarios).map(([amount, word]) => [
        camelCase(word.replaceAll('-', '_')),
        Number(amount),
      ]),
    ),
  )
  const later = new Map(followUpAmounts.map(([kind, amount, status]) => [amount, `${kind}_${status}`]))
  for (const [name, amount] of Object.entries(refused))
    expect(camelCase(later.get(amount) ?? 'unknown')).toBe(name)
})

test('an instance that ends removes its folders', async () => {
  await first.close()
  await second.close()
  const [name = ''] = instanceFolders()
  process.kill(pidOf(name), 'SIGTERM')
  await vi.waitUntil(() => !existsSync(join(folder, name)), { timeout: 20_000 })
  await expect(fetch(first.url)).rejects.toThrow()
  expect(instanceFolders()).toEqual([])
})

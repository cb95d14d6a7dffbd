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
const { startRailyard, amounts }: { startRailyard: typeof StartRailyard; amounts: Amounts } = require('./start-railyard.cjs')
const { makePrivate, sharedFolder }: { makePrivate: (folder: string) => void; sharedFolder: () => string } = require('./connect.cjs')

let first: Railyard
let second: Railyard
const before = process.env['TMPDIR']
const folder = mkdtempSync(join(tmpdir(), 'railyard-testing-test-'))

const pays = (merchant: Railyard, amount: number, more = {}) =>
  merchant.post('/transactions', { amount, currency: 'EUR', payment_method: merchant.card, ...more })

beforeAll(async () => {
  // an instance that nobody else's tests share
  process.env['TMPDIR'] = folder
  const ending = await endWithoutWelcome()
  ;[first, second] = await Promise.all([startRailyard(), startRailyard()])
  letIn = ending.letIn()
})

/** The folders of instances. */
const places = () => readdirSync(folder).filter((name) => /^railyard-[0-9a-f]{16}$/.test(name))
const pidOf = (place: string): number => JSON.parse(readFileSync(join(folder, place, 'lock.json'), 'utf8')).pid

let letIn = 0
/** An instance that ends in the moment in which tests have knocked: it is there before the one that they start. Says how many it has let in. */
async function endWithoutWelcome(): Promise<{ letIn: () => number }> {
  let knocked = 0
  const ending = createServer((test) => {
    knocked += 1
    test.once('data', () => ending.close(() => undefined) && test.destroy())
  })
  makePrivate(sharedFolder())
  ending.listen(join(sharedFolder(), 'socket'))
  await once(ending, 'listening')
  return { letIn: () => knocked }
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
  const payment = await pays(first, amounts.approved)
  expect(payment).toMatchObject({ status: 201, body: { status: 'authorization_succeeded', merchant_account_id: first.account } })
  expect(await second.get(`/transactions/${payment.body.id}`)).toMatchObject({ status: 404 })
})

test('a webhook is waited for, and each is given once', async () => {
  const { body: payment } = await pays(first, amounts.approved, { intent: 'capture' })
  expect(await first.webhooks.next('transaction.captured', { about: payment.id })).toMatchObject({
    target: { id: payment.id, captured_amount: 1299 },
  })
  await expect(first.webhooks.next('transaction.captured', { about: payment.id, timeout: 1 })).rejects.toThrow(
    new RegExp(
      `no webhook transaction.captured about ${payment.id} came within 1 ms; these did:\\n[\\s\\S]* transaction.captured .*was given before`,
    ),
  )
  expect(second.webhooks.all()).toEqual([])
  await expect(second.webhooks.next('refund.succeeded', { timeout: 1 })).rejects.toThrow('none came at all')
})

test('what nobody signed with the secret is no webhook', async () => {
  const forged = await fetch(second.webhooks.url, { method: 'POST', body: '{}', headers: { 'x-svc-webhook-signatures': '00' } })
  expect(forged.status).toBe(401)
  expect(second.webhooks.all()).toEqual([])
})

test('faults strike the merchant whose they are, and setting another’s leaves them as they are', async () => {
  await first.faults.set([{ operation: 'authorize', kind: 'lost', times: 1 }])
  await second.faults.set([{ operation: 'authorize', kind: 'error' }])
  await second.faults.clear()
  expect((await pays(second, 1299)).body.status).toBe('authorization_succeeded')
  const lost = await pays(first, 1299)
  expect(lost.body.status).toBe('processing')
  await first.webhooks.next('transaction.authorized', { about: lost.body.id, timeout: 20_000 })
  await first.faults.clear()
})

test('the time of one merchant goes on, and what falls due on the way has happened', async () => {
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

test('what payment services and banks do later is made to happen', async () => {
  const { body: payment } = await pays(first, amounts.approved, { intent: 'capture' })
  await first.simulate(payment.id, 'disputed', { amount: 500 })
  expect((await first.get(`/transactions/${payment.id}/chargebacks`)).body.items).toHaveLength(1)
})

test('a helper whose request is refused says so', async () => {
  await expect(first.simulate(randomUUID(), 'settled')).rejects.toThrow('was answered 404')
  await expect(first.faults.set([{ operation: 'nothing', kind: 'lost' }])).rejects.toThrow(/PUT \/sandbox\/faults.* was answered 422/)
})

test('a token has the scopes that it is asked for, and no other account', async () => {
  const answer = (headers: Record<string, string>) => fetch(`${first.url}/buyers`, { headers })
  expect((await answer({ authorization: `Bearer ${first.token()}` })).status).toBe(200)
  expect((await answer(first.headers)).status).toBe(200)
  expect((await answer({ authorization: `Bearer ${first.token({ scopes: ['transactions.read'] })}` })).status).toBe(403)
  expect((await answer({ ...first.headers, 'x-svc-merchant-account-id': second.account })).status).toBe(403)
  expect((await answer({ authorization: `Bearer ${first.token({ expiresIn: -60 })}` })).status).toBe(401)
})

test('what a test mistypes is said in the test’s own words', async () => {
  await expect(first.get('transactions')).rejects.toThrow('a path begins with a slash: /transactions')
  await expect(first.clock.advanceTo('tomorrow')).rejects.toThrow('clock.advanceTo takes a time')
  await expect(first.clock.advance({ days: -1 })).rejects.toThrow('and goes forward')
  expect(() => first.token({ expiresIn: '60' as never })).toThrow('whole number of seconds')
  expect(() => first.token({ scopes: '*.read' as never })).toThrow('scopes takes a list')
})

test('an instance of its own has its own settings, and is gone when it is closed', async () => {
  await expect(startRailyard({ settings: { INSTANCE_ID: 'shop' } })).rejects.toThrow('isolated: true')
  await expect(startRailyard({ isolated: true, settings: { INSTANCE_ID: 'Not a name' } })).rejects.toThrow(/did not start:\n.*INSTANCE_ID must be/)
  await expect(startRailyard({ isolated: true, settings: { INSTANCE: 'shop' } })).rejects.toThrow(
    /did not start:\n.*INSTANCE is no setting: .*INSTANCE_ID/,
  )
  const alone = await startRailyard({ isolated: true, settings: { INSTANCE_ID: 'shop' } })
  expect(alone.url).not.toBe(first.url)
  await pays(alone, 1299)
  expect(await alone.webhooks.next('transaction.authorized')).toMatchObject({ svc_id: 'shop' })
  await alone.close()
  await expect(fetch(alone.url)).rejects.toThrow()
})

test('a test that knocks at an instance that is just ending starts another', () => {
  expect(letIn).toBeGreaterThan(0)
  expect(first.url).toMatch(/^http/)
})

test('an instance of its own that was killed is left like any other', async () => {
  const others = places()
  const alone = await startRailyard({ isolated: true })
  const [place = ''] = places().filter((name) => !others.includes(name))
  process.kill(pidOf(place), 'SIGKILL')
  await alone.close()
  expect(places()).toEqual(others)
})

const named = (code: string) => code.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

test('the amounts are the sandbox’s', () => {
  const { approved, partlyApproved, declined, failed, pending, refused, settled } = amounts
  expect(outcomeForAmount('authorize', approved).status).toBe('approved')
  expect(partlyApproved).toBe(partialApprovalAmount)
  expect(declined).toEqual(Object.fromEntries(declinedAmounts.map(([amount, code]) => [named(code), amount])))
  expect(failed).toEqual(Object.fromEntries(failedAmounts.map(([amount, code]) => [named(code), amount])))
  const pendingByKind = pendingAmounts.flatMap(([kind, amount]) => (kind === 'sale' ? [] : [[kind === 'authorize' ? 'authorization' : kind, amount]]))
  expect(pending).toEqual(Object.fromEntries(pendingByKind))
  expect(settled).toEqual(
    Object.fromEntries(Object.entries(settlementScenarios).map(([amount, word]) => [named(word.replaceAll('-', '_')), Number(amount)])),
  )
  const later = new Map(followUpAmounts.map(([kind, amount, status]) => [amount, `${kind}_${status}`]))
  for (const [name, amount] of Object.entries(refused)) expect(named(later.get(amount) ?? 'unknown')).toBe(name)
})

test('an instance that ends takes its folders along', async () => {
  await first.close()
  await second.close()
  const [place = ''] = places()
  process.kill(pidOf(place), 'SIGTERM')
  await vi.waitUntil(() => !existsSync(join(folder, place)), { timeout: 20_000 })
  await expect(fetch(first.url)).rejects.toThrow()
  expect(places()).toEqual([])
})

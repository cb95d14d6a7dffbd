import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Railyard, startRailyard as StartRailyard } from './testing.d.cts'

const { startRailyard }: { startRailyard: typeof StartRailyard } = createRequire(import.meta.url)(
  './start-railyard.cjs',
)

let original: Railyard
const before = process.env['TMPDIR']
const folder = mkdtempSync(join(tmpdir(), 'railyard-fork-test-'))

beforeAll(async () => {
  // an instance that other tests of this machine do not share
  process.env['TMPDIR'] = folder
  original = await startRailyard()
})

afterAll(async () => {
  await original?.close()
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  rmSync(folder, { recursive: true, force: true })
})

const pay = ({ client, card }: Railyard, more = {}) =>
  client.transactions.create({ amount: 1299, currency: 'EUR', country: 'DE', payment_method: card, ...more })

test('a fork has the payments, the payment services’ books and the time of the original', async () => {
  const { id } = await pay(original)
  const now = await original.clock.advance({ days: 2 })
  const fork = await original.fork()
  expect(fork.account).toBe(original.account)
  expect(fork.url).not.toBe(original.url)
  expect(await fork.client.transactions.get(id)).toMatchObject({ id, status: 'authorization_succeeded' })
  expect((await fork.clock.now()).getTime()).toBeGreaterThanOrEqual(now.getTime())
  // the payment service finds the authorization in its books
  expect((await fork.client.transactions.capture(id)).status).toBe('capture_succeeded')
  await fork.close()
})

test('neither sees what happens to the other', async () => {
  const { id } = await pay(original)
  const fork = await original.fork()
  const other = await original.fork()
  await fork.client.transactions.capture(id)
  await fork.clock.advance({ days: 5 })
  await fork.faults.set([{ operation: 'authorize', kind: 'error' }])
  const later = await pay(original)
  expect(later.status).toBe('authorization_succeeded')
  for (const untouched of [original, other]) {
    expect((await untouched.client.transactions.get(id)).status).toBe('authorization_succeeded')
    expect((await untouched.clock.now()).getTime()).toBeLessThan(
      (await fork.clock.now()).getTime() - 4 * 86_400_000,
    )
    expect((await pay(untouched)).status).toBe('authorization_succeeded')
  }
  await expect(fork.client.transactions.get(later.id)).rejects.toMatchObject({ status: 404 })
  await Promise.all([fork.close(), other.close()])
})

test('a fork’s webhooks come to the fork alone', async () => {
  const { id } = await pay(original)
  await original.webhooks.next('transaction.authorized', { about: id })
  const fork = await original.fork()
  await fork.client.transactions.capture(id)
  await fork.webhooks.next('transaction.captured', { about: id })
  await original.client.transactions.void(id)
  await original.webhooks.next('transaction.voided', { about: id })
  expect(original.webhooks.all('transaction.captured').map(({ target }) => target.id)).not.toContain(id)
  expect(fork.webhooks.all('transaction.voided')).toEqual([])
  await fork.close()
})

test('a buyer who approves in a fork does so in the fork alone', async () => {
  const { id } = await original.client.transactions.create({
    amount: 1299,
    currency: 'EUR',
    country: 'DE',
    payment_method: {
      method: 'wallet',
      country: 'DE',
      currency: 'EUR',
      redirect_url: 'https://shop.example/return',
    },
  })
  const fork = await original.fork()
  const { body } = await fork.get(`/transactions/${id}`)
  expect(body.payment_method.approval_url).toContain(fork.url)
  await fork.simulate(id, 'approved')
  expect((await fork.client.transactions.get(id)).status).toBe('authorization_succeeded')
  expect((await original.client.transactions.get(id)).status).toBe('buyer_approval_pending')
  await fork.close()
})

test('a fork of a fork is independent of both, and ends with it', async () => {
  const fork = await original.fork()
  const { id } = await pay(fork)
  const second = await fork.fork()
  await second.client.transactions.capture(id)
  expect((await second.webhooks.next('transaction.captured', { about: id })).target.id).toBe(id)
  expect((await fork.client.transactions.get(id)).status).toBe('authorization_succeeded')
  await expect(original.client.transactions.get(id)).rejects.toMatchObject({ status: 404 })
  await fork.close()
  for (const { url } of [fork, second])
    await vi.waitUntil(() =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    )
})

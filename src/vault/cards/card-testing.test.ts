import { expect, test } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { passesLuhn } from './luhn.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

/**
 * Different numbers with the first six digits `bin` and the last four `ending`, as a caller sends them that
 * tries to find a number.
 */
function alike(bin: string, ending: string, count: number): string[] {
  const numbers: string[] = []
  for (let middle = 0; numbers.length < count; middle++) {
    const number = `${bin}${String(middle).padStart(6, '0')}${ending}`
    if (passesLuhn(number)) numbers.push(number)
  }
  return numbers
}
const pay = (number: string, by: Shop = shop) => by.pay(12_00, { payment_method: { ...card, number } })
const signals = async () =>
  /railyard_card_testing_total\{signal="numbers_alike"\} (\d+)/.exec(
    (await railyard.send('GET', '/metrics')).body,
  )?.[1] ?? '0'

test('the eleventh different number with the same first six and last four digits is refused, over all operations', async () => {
  const numbers = alike('411111', '0000', 15)
  const ways = [
    (number: string) => pay(number),
    (number: string) => shop.post('/payment-methods', { number, expiration_date: card.expiration_date }),
    async (number: string) => {
      const { id } = (await shop.post('/checkout/sessions', {})).body
      return railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payment_method: { ...card, number } }),
      })
    },
  ]
  for (const [turn, number] of numbers.slice(0, 10).entries())
    expect((await ways[turn % 3]?.(number))?.status).toBeLessThan(300)
  for (const [turn, number] of numbers.slice(10).entries()) {
    const refused = await ways[turn % 3]?.(number)
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', message: expect.stringMatching(/first and last digits/) },
    })
    expect(refused?.headers.get('retry-after')).toBe('600')
  }
  expect(await signals()).toBe('5')
  const lines = railyard.logged.filter((line) => line.includes('card testing suspected'))
  expect(lines).toHaveLength(5)
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, signal: 'numbers_alike', account: shop.account }),
  )
  for (const number of numbers) expect(railyard.logged.join('\n')).not.toContain(number)
})

test('beyond the limit an earlier number, other cards and other accounts are still accepted', async () => {
  const numbers = alike('411111', '1234', 11)
  for (const number of numbers.slice(0, 10)) expect((await pay(number)).status).toBe(201)
  expect((await pay(numbers[10] ?? '')).status).toBe(429)
  expect((await pay(numbers[3] ?? '')).status).toBe(201)
  expect((await pay(alike('411112', '1234', 1)[0] ?? '')).status).toBe(201)
  expect((await pay(alike('411111', '1235', 1)[0] ?? '')).status).toBe(201)
  expect((await pay(numbers[10] ?? '', await openShop(railyard))).status).toBe(201)
})

test('an idempotency key confirms no guessed number beyond the limit, and a repeated request has its first answer', async () => {
  const [right = '', ...guesses] = alike('411111', '5678', 12)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const sendRequest = (number: string) =>
    shop.post(
      '/transactions',
      { amount: 12_00, currency: 'EUR', payment_method: { ...card, number }, approval_expires_at: later },
      headers,
    )
  const later = new Date(railyard.clock.now() + 60_000).toISOString()
  expect((await sendRequest(right)).status).toBe(201)
  const statuses = []
  for (const number of guesses) statuses.push((await sendRequest(number)).status)
  expect(statuses).toEqual([...Array(9).fill(409), 429, 429])
  expect((await sendRequest(right)).status).toBe(201)
  railyard.clock.advance(120_000)
  // the request is refused for its time by now, but its number still counts
  expect((await sendRequest(guesses[10] ?? '')).status).toBe(429)
})

test('numbers are forgotten twenty minutes later', async () => {
  const numbers = alike('510510', '4321', 12)
  for (const number of numbers.slice(0, 10)) await pay(number)
  railyard.clock.advance(601_000)
  expect((await pay(numbers[10] ?? '')).status).toBe(429)
  railyard.clock.advance(601_000)
  expect((await pay(numbers[11] ?? '')).status).toBe(201)
})

test('a number with a wrong check digit does not count', async () => {
  const wrong = Array.from(
    { length: 12 },
    (_, index) => `411111${String(index).padStart(6, '0')}0001`,
  ).filter((number) => !passesLuhn(number))
  for (const number of wrong) expect((await pay(number)).status).toBe(400)
  expect((await pay(alike('411111', '0001', 1)[0] ?? '')).status).toBe(201)
})

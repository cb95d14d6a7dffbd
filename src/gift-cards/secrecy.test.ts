import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newGiftCard, openGiftShop } from '../../test/support/domains/gift-cards.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { recordAnswers } from '../../test/support/recorded-answers.ts'
import { readableRow } from '../../test/support/unpacked.ts'

/** Balances in the sandbox are PINs; these are so long that they are no plausible amounts. */
const cards = Array.from({ length: 8 }, (_, index) => newGiftCard(`0084732${index}9`))

let railyard: TestRailyard
let answers: readonly string[]

beforeAll(async () => {
  answers = recordAnswers()
  railyard = await startTestRailyard()
  const shop = await openGiftShop(railyard)
  const buyer_id = await shop.buyer()
  for (const [index, kind] of (
    [undefined, 'error', 'lost', 'malformed', 'duplicate', 'outage'] as const
  ).entries()) {
    await injectFaults(railyard, ...(kind ? [{ operation: '*' as const, kind, times: 1 }] : []))
    const card = cards[index]
    await shop.stores({ ...card, buyer_id })
    await shop.stores({ ...card, buyer_id })
    await shop.post(
      '/gift-cards/activations',
      { ...card, amount: 1_00, currency: 'EUR', external_identifier: 'a' },
      { 'idempotency-key': `key-${index}` },
    )
    await shop.post('/gift-cards/balances', { items: [card] })
    await shop.get(`/buyers/gift-cards?buyer_id=${buyer_id}`)
  }
  await injectFaults(railyard)
  await refusedRequests()
  for (const { id } of (await shop.get('/gift-cards')).body.items) await shop.delete(`/gift-cards/${id}`)

  async function refusedRequests() {
    const [, , , , , , card = newGiftCard()] = cards
    await shop.stores({ ...card, colour: 'red' })
    await shop.stores({ ...card, number: `${card.number} ` })
    await shop.stores({ ...card, number: Number(card.number), pin: Number(card.pin) })
    await shop.stores({ [card.number]: card.pin })
    await shop.post('/gift-cards/balances', { items: [card, card] })
    await shop.post('/gift-cards/balances', { items: [{ id: card.number }, { ...card, pin: 7 }] })
    await shop.post('/gift-cards/activations', { ...card, store: true, buyer_id: card.number })
    await shop.get(`/gift-cards/${card.number}`)
  }
})
afterAll(async () => {
  vi.restoreAllMocks()
  await railyard.close()
})

/** The numbers and PINs in a text. */
const traces = (text: string): string[] =>
  cards
    .flatMap(({ number, pin }) => [number, pin, Buffer.from(number).toString('hex')])
    .filter((secret) => text.includes(secret))

test('the search finds a number and a PIN in a text', () => {
  expect(traces(`x${cards[0]?.number}y ${cards[1]?.pin}`)).toEqual([cards[0]?.number, cards[1]?.pin])
})

test('no table holds a gift card’s number or PIN', async () => {
  const tables = await railyard.world.run<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    [],
  )
  expect(tables.map(({ name }) => name)).toContain('public.gift_cards')
  for (const { name } of tables) {
    const rows = await railyard.world.run<{ row: unknown }>(`select row_to_json(t) as row from ${name} t`, [])
    expect([name, traces(readableRow(JSON.stringify(rows)))]).toEqual([name, []])
  }
  const events = await railyard.world.run<{ name: string }>(
    `select distinct name from events where name like 'gift-card.%' order by 1`,
    [],
  )
  expect(events.map(({ name }) => name)).toEqual(['gift-card.created', 'gift-card.deleted'])
})

test('no log line, no answer and no book of the sandbox holds a gift card’s number or PIN', async () => {
  expect(railyard.logged.length).toBeGreaterThan(0)
  expect(traces(railyard.logged.join('\n'))).toEqual([])
  const books = await (await fetch(`${railyard.simulatorUrl}/books`)).text()
  expect(books).toContain(cards[0]?.number.slice(-4))
  expect(answers.length).toBeGreaterThan(40)
  expect(answers.flatMap(traces)).toEqual([])
})

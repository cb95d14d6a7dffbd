import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { startSimulator } from '../../simulator.ts'

test('a restart keeps the cards’ balances and the answers of keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gift-cards-'))
  const booksFile = join(folder, 'books.jsonl')
  const service = randomUUID()
  const card = { number: '6006491234567890', pin: '05000' }
  const key = randomUUID()
  const ask = async (url: string, path: string, body: object, idempotencyKey: string = randomUUID()) => {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': 'any',
      'idempotency-key': idempotencyKey,
    }
    const answer = await fetch(`${url}/gift-card/${service}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await answer.json()) as Record<string, unknown>
  }
  const redemption = { ...card, amount: 30_00, currency: 'EUR' }
  const before = await startSimulator({ clock: systemClock, booksFile })
  const first = await ask(before.url, '/redemptions', redemption, key)
  await ask(before.url, `/redemptions/${first['id']}/refunds`, { amount: 5_00, currency: 'EUR' })
  await before.close()

  const after = await startSimulator({ clock: systemClock, booksFile })
  expect(await ask(after.url, '/balance', card)).toMatchObject({ card: { balance: 25_00, currency: 'EUR' } })
  expect(await ask(after.url, '/redemptions', redemption, key)).toMatchObject({
    id: first['id'],
    status: 'approved',
  })
  expect(await ask(after.url, `/redemptions/${first['id']}/reverse`, {})).toMatchObject({
    status: 'approved',
    amount: 25_00,
  })
  expect(await readFile(booksFile, 'utf8')).not.toContain(card.number)
  await after.close()
  await rm(folder, { recursive: true })
})

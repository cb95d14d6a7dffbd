import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { mountCard, openElementsShop, typeCard } from './elements-shop.ts'

// A frame is no way around the limits against card testing

const town = await openElementsShop({
  CARD_ATTEMPTS_PER_ADDRESS: '4',
  CARD_ATTEMPTS_PER_BIN: '3',
  TRUSTED_PROXIES: '1',
})
const origin = town.railyard.url

/** A page with a card, in a browser at an address. */
async function pageAt(address: string, session: string, number: string): Promise<Page> {
  const page = await town.open({ extraHTTPHeaders: { 'x-forwarded-for': address } })
  await typeCard(await mountCard(page, { origin, session }), { number })
  return page
}

const submit = (page: Page) => page.evaluate('card.submit().then(() => "submitted", ({ code }) => code)')

/** Tries a card in sessions, from addresses of their own unless one is given. */
async function attempt(session: string, number: string, address: string): Promise<number> {
  const answer = await fetch(`${origin}/checkout/sessions/${session}/fields`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ payment_method: { number, expiration_date: '12/35', security_code: '123' } }),
  })
  return answer.status
}

test('the limit by address counts what a frame sends, whichever session it is for', async () => {
  const numbers = ['4111111111111111', '5555555555554444', '378282246310005', '6011111111111117']
  for (const number of numbers) expect(await attempt(await town.session(), number, '9.9.9.9')).toBe(204)
  expect(await submit(await pageAt('9.9.9.9', await town.session(), '3566002020360505'))).toBe(
    'too_many_requests',
  )
  expect(await submit(await pageAt('9.9.9.10', await town.session(), '3566002020360505'))).toBe('submitted')
})

test('the limit by first six digits counts what a frame sends, whatever its address', async () => {
  for (const last of [1, 2, 3])
    expect(await attempt(await town.session(), '5105105105105100', `9.9.8.${last}`)).toBe(204)
  expect(await submit(await pageAt('9.9.8.4', await town.session(), '5105105105105100'))).toBe(
    'too_many_requests',
  )
})

test('the limit by session counts what a frame sends, and the frames of the session themselves', async () => {
  const session = await town.session()
  const page = await pageAt('9.9.7.1', session, '6011000990139424')
  // most are refused by their first six digits, and count for the session all the same
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => attempt(session, '4000056655665556', `9.8.${at}.1`)),
  )
  expect(answers).toContain(204)
  expect(await submit(page)).toBe('too_many_requests')
  const frames = await Promise.all(
    Array.from({ length: 51 }, () =>
      fetch(`${origin}/elements/card?session=${session}&parent=${encodeURIComponent(town.origin)}`).then(
        ({ status }) => status,
      ),
    ),
  )
  expect(frames).toContain(429)
})

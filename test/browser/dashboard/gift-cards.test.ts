import { expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../support/domains/gift-cards.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
await addGiftCardService(railyard, shop)

const stored = async (more: Record<string, unknown> = {}) => {
  const { status, body } = await shop.post('/gift-cards', { ...newGiftCard(), ...more })
  expect(status).toBe(201)
  return body
}

test('customer support asks for a balance without storing the card, and the PIN stays hidden', async () => {
  const card = newGiftCard('07550')
  const page = await desk.open('gift-cards', { roles: ['customer-support'] })
  await page.getByRole('button', { name: 'Ask for a balance' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Ask' }).click()
  await see(dialog, 'Fill in the fields')
  await dialog.getByLabel('Number of the gift card').fill(card.number.replace(/(\d{4})/g, '$1 ').trim())
  await dialog.getByLabel('PIN').fill(card.pin)
  expect(await dialog.getByLabel('PIN').getAttribute('type')).toBe('password')
  await dialog.getByRole('button', { name: 'Ask' }).click()
  await see(dialog, '7550')
  await dialog.getByLabel('PIN').fill('101')
  await dialog.getByRole('button', { name: 'Ask' }).click()
  await see(dialog, 'expired card')
  expect(page.url()).not.toContain(card.number)
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
    card.number,
  )
  expect((await shop.get('/gift-cards')).body.items).toEqual([])
})

test('a card is stored for a buyer, shows its balance and its payments, and is deleted', async () => {
  const { body: buyer } = await shop.post('/buyers', {
    display_name: 'Ada Gift',
    external_identifier: 'gift-1',
  })
  const card = newGiftCard('05000')
  const page = await desk.open('gift-cards')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Store a gift card' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Number of the gift card').fill(card.number)
  await dialog.getByLabel('PIN').fill(card.pin)
  await dialog.getByLabel('Buyer').fill('gift-1')
  await dialog.getByRole('button', { name: /Ada Gift/ }).click()
  await dialog.getByRole('button', { name: 'Store a gift card' }).dblclick()
  await see(page.getByRole('heading', { level: 1 }), card.number.slice(-4))
  const [kept, ...others] = (await shop.get(`/gift-cards?buyer_id=${buyer.id}`)).body.items
  expect(others).toEqual([])
  await shop.sold(50_00, { gift_cards: [{ id: kept.id, amount: 12_00 }] })
  await page.reload()
  await page
    .getByRole('region', { name: 'Payments with it' })
    .getByRole('link', { name: '€50.00' })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Ask for a balance' }).click()
  await see(page, '€38.00')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No gift cards are stored')
  expect((await shop.get(`/gift-cards/${kept.id}`)).status).toBe(404)
})

test('a card is activated with an amount, once', async () => {
  const card = newGiftCard()
  const page = await desk.open('gift-cards', { roles: ['customer-support'] })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Activate a gift card' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Number of the gift card').fill(card.number)
  await dialog.getByLabel('Amount').fill('25')
  await dialog.getByRole('button', { name: 'Activate a gift card' }).dblclick()
  await see(page, 'Gift card activated')
  const { body } = await shop.post('/gift-cards/balances', { items: [{ number: card.number, pin: '02500' }] })
  expect(body.items).toMatchObject([{ balance: 25_00, currency: 'EUR' }])
})

test('the address of an issued card is shown once', async () => {
  const page = await desk.open('gift-cards')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Issue a gift card' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Design').fill('birthday')
  await dialog.getByLabel('Amount').fill('25')
  await dialog.getByRole('button', { name: 'Issue a gift card' }).click()
  await see(dialog, 'it is shown only now')
  const address = (await dialog.locator('.select-all').textContent()) ?? ''
  expect(address).toMatch(/^https?:/)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Ask for a balance' }).waitFor()
  expect(await page.content()).not.toContain(address)
})

test('a refusal of the gift card service is shown', async () => {
  const page = await desk.open('gift-cards')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Store a gift card' }).click()
  const dialog = page.getByRole('dialog')
  const { number } = newGiftCard()
  await dialog.getByLabel('Number of the gift card').fill(number)
  await dialog.getByLabel('PIN').fill('100')
  await dialog.getByRole('button', { name: 'Store a gift card' }).click()
  await dialog.getByRole('alert').first().waitFor()
})

test('an analyst reads gift cards, and is not offered to change them', async () => {
  const card = await stored()
  const page = await desk.open('gift-cards', { roles: ['analyst'] })
  await page.getByRole('row').nth(1).waitFor()
  expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)
  await page.goto(desk.url(`gift-cards/${card.id}`))
  await see(page, 'It has not paid yet.')
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
})

test('hostile text is shown as text', async () => {
  const { body: buyer } = await shop.post('/buyers', { display_name: hostile })
  const card = await stored({ buyer_id: buyer.id })
  const page = await desk.open('gift-cards')
  await expectShownAsText(page)
  await page.goto(desk.url(`gift-cards/${card.id}`))
  await expectShownAsText(page)
})

test('the pages of gift cards have no barriers', async () => {
  const card = await stored()
  const page = await desk.open('gift-cards')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-gift-cards')).toEqual([])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Activate a gift card' }).click()
  expect(await barriers(page, 'dashboard-gift-card-activate')).toEqual([])
  await page.goto(desk.url(`gift-cards/${card.id}`))
  await page.getByRole('button', { name: 'Ask for a balance' }).click()
  await page.getByText('Balance').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-gift-card')).toEqual([])
})

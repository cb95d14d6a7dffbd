import { describe, expect, test } from 'vitest'
import { enteredCard, sendLink } from '../../../test/support/domains/payment-links.ts'
import { card } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

/** The text of a link's page, without its markup. */
async function readPage(url: string): Promise<string> {
  const { body } = await railyard.send('GET', new URL(url).pathname)
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(String(body)) ?? []
  return main.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}

const paidLink = async (more: object) => {
  const link = await sendLink(railyard, shop, { merchant_name: 'Tea House', ...more })
  const payment = shop.payment((await link.pay()).id)
  return { link, payment, page: () => readPage(link.url) }
}

/** The words that say in each language that the buyer was charged. */
const saysPaid = /have paid|Ha pagado|Ha pagato|pagou|Pagou|gezahlt|avez payé|betaald|お支払いいただきました/
const pagesOf = [
  [
    'en',
    '€12.99 is reserved for Tea House. Nothing has been charged yet.',
    'You have paid €12.99 to Tea House.',
  ],
  [
    'en-GB',
    '€12.99 is reserved for Tea House. Nothing has been charged yet.',
    'You have paid €12.99 to Tea House.',
  ],
  [
    'es',
    '12,99 € han quedado reservados para Tea House. Aún no se ha cobrado nada.',
    'Ha pagado 12,99 € a Tea House.',
  ],
  ['pt', '€ 12,99 ficaram reservados para Tea House. Ainda nada foi cobrado.', 'Pagou € 12,99 a Tea House.'],
  [
    'pt-BR',
    '€ 12,99 ficaram reservados para Tea House. Nada foi cobrado ainda.',
    'Você pagou € 12,99 a Tea House.',
  ],
  [
    'de',
    '12,99 € sind für Tea House reserviert. Es wurde noch nichts abgebucht.',
    'Sie haben 12,99 € an Tea House gezahlt.',
  ],
  [
    'fr',
    'Le montant de 12,99 € est réservé pour Tea House. Rien n’a encore été débité.',
    'Vous avez payé 12,99 € à Tea House.',
  ],
  [
    'it',
    'L’importo di 12,99 € è riservato per Tea House. Non è ancora stato addebitato nulla.',
    'Ha pagato 12,99 € a Tea House.',
  ],
  [
    'nl',
    '€ 12,99 is gereserveerd voor Tea House. Er is nog niets afgeschreven.',
    'U hebt € 12,99 betaald aan Tea House.',
  ],
  [
    'ja',
    'Tea Houseのために€12.99を確保しました。まだ請求は発生していません。',
    'Tea Houseに€12.99をお支払いいただきました。',
  ],
]

test.each(pagesOf)(
  'in %s, a link that only authorizes says that the amount is reserved, before and after',
  async (locale, reserved) => {
    const open = await sendLink(railyard, shop, { locale, intent: 'authorize' })
    const captures = await sendLink(railyard, shop, { locale, intent: 'capture' })
    const notice =
      /reserved now|se reserva ahora|reservado agora|jetzt reserviert|réservé maintenant|riservato ora|nu gereserveerd|金額の確保のみ/
    expect(await readPage(open.url)).toMatch(notice)
    expect(await readPage(captures.url)).not.toMatch(notice)
    const { page } = await paidLink({ locale, intent: 'authorize' })
    expect(await page()).toContain(reserved)
    expect(await page()).not.toMatch(saysPaid)
  },
)

test.each(pagesOf)('in %s, a link that captures says what was paid', async (locale, _reserved, paid) => {
  const { page } = await paidLink({ locale, intent: 'capture' })
  expect(await page()).toContain(paid)
  expect(await page()).toMatch(saysPaid)
})

test('the page shows the captured part of an authorization, and after a void that nothing was charged', async () => {
  const part = await paidLink({ intent: 'authorize' })
  await part.payment.capture({ amount: 10_00 })
  expect(await part.page()).toContain('You have paid €10.00 to Tea House.')
  const released = await paidLink({ intent: 'authorize' })
  await released.payment.void()
  expect(await released.page()).toContain('Tea House has released the €12.99. Nothing was charged.')
})

test('after a payment of 0 the page says whether the card was stored or only checked', async () => {
  const buyer_id = (await shop.post('/buyers', {})).body.id
  const kept = await paidLink({ amount: 0, buyer_id, store: true })
  expect(await kept.page()).toContain('Tea House can charge your card from now on. Nothing was charged yet.')
  const checked = await sendLink(railyard, shop, { amount: 0 })
  await checked.pay(await enteredCard(railyard, shop, card))
  expect(await readPage(checked.url)).toContain('Your card has been checked. Nothing was charged.')
})

test('the page’s script gets nothing of the payment but the URL to go to', async () => {
  const { link } = await paidLink({ intent: 'authorize' })
  expect((await railyard.send('GET', `${new URL(link.url).pathname}/status`)).body).toEqual({
    state: 'completed',
    next: null,
  })
})

describe('the account’s payment_link_intent', () => {
  test('the account’s payment_link_intent is the intent of links without one', async () => {
    const own = await openShop(railyard, { settings: { payment_link_intent: 'capture' } })
    const link = await sendLink(railyard, own)
    expect(await link.read()).toMatchObject({ intent: 'capture' })
    expect(await sendLink(railyard, own, { intent: 'authorize' }).then(({ read }) => read())).toMatchObject({
      intent: 'authorize',
    })
    const { id } = await link.pay()
    expect(await own.payment(id).read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 12_99,
    })
  })

  test('payment_link_intent is null at first and null removes it: links then authorize', async () => {
    const account = `/merchant-accounts/${shop.account}`
    expect((await railyard.admin.get(account)).body).toMatchObject({ payment_link_intent: null })
    expect((await railyard.admin.put(account, { payment_link_intent: 'capture' })).body).toMatchObject({
      payment_link_intent: 'capture',
    })
    expect((await railyard.admin.put(account, { payment_link_intent: null })).body).toMatchObject({
      payment_link_intent: null,
    })
    expect(await (await sendLink(railyard, shop)).read()).toMatchObject({ intent: 'authorize' })
    expect(await railyard.admin.put(account, { payment_link_intent: 'sale' })).toMatchObject({ status: 422 })
  })
})

import { expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import {
  download,
  linesOf,
  readCsv,
  startWithoutReportRounds,
} from '../../../test/support/domains/reports.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import type { Transaction } from '../../transactions/transaction.schema.ts'
import { type TransactionField, transactionFieldNames } from './transaction-fields.ts'

const railyard = await startWithoutReportRounds()

const billing = (paid: Transaction) => paid.buyer?.billing_details
const proof = (paid: Transaction): Record<string, unknown> => ({ ...paid.three_d_secure?.response_data })
const redeemed = (paid: Transaction, member: 'amount' | 'refunded_amount') =>
  paid.gift_card_redemptions
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, redemption) => sum + redemption[member], 0)

/** The API's value of a column that has another name in the API. */
const apiValues: Partial<Record<TransactionField, (paid: Transaction) => unknown>> = {
  scheme: (paid) => paid.payment_method?.scheme,
  payment_service_id: (paid) => paid.payment_service?.id,
  payment_service_definition_id: (paid) => paid.payment_service?.payment_service_definition_id,
  payment_service_display_name: (paid) => paid.payment_service?.display_name,
  metadata: (paid) => paid.metadata && JSON.stringify(paid.metadata),
  three_d_secure_status: (paid) => paid.three_d_secure?.status,
  three_d_secure_method: (paid) => paid.three_d_secure?.method,
  three_d_secure_eci: (paid) => proof(paid)['eci'],
  three_d_secure_auth_resp: (paid) => proof(paid)['authentication_response'],
  buyer_external_identifier: (paid) => paid.buyer?.external_identifier,
  billing_details_first_name: (paid) => billing(paid)?.first_name,
  billing_details_last_name: (paid) => billing(paid)?.last_name,
  billing_details_email_address: (paid) => billing(paid)?.email_address,
  // the apostrophe keeps a spreadsheet from calculating with it
  billing_details_phone_number: (paid) => billing(paid)?.phone_number && `'${billing(paid)?.phone_number}`,
  billing_details_address_city: (paid) => billing(paid)?.address?.city,
  billing_details_address_country: (paid) => billing(paid)?.address?.country,
  billing_details_address_postal_code: (paid) => billing(paid)?.address?.postal_code,
  billing_details_address_state: (paid) => billing(paid)?.address?.state,
  billing_details_address_state_code: (paid) => billing(paid)?.address?.state_code,
  billing_details_address_house_number_or_name: (paid) => billing(paid)?.address?.house_number_or_name,
  billing_details_address_line1: (paid) => billing(paid)?.address?.line1,
  billing_details_address_line2: (paid) => billing(paid)?.address?.line2,
  billing_details_address_organization: (paid) => billing(paid)?.address?.organization,
  billing_details_tax_id: (paid) => billing(paid)?.tax_id?.value,
  billing_details_tax_id_kind: (paid) => billing(paid)?.tax_id?.kind,
  gift_card_redemptions_amount: (paid) => redeemed(paid, 'amount'),
  gift_card_redemption_refunds_amount: (paid) => redeemed(paid, 'refunded_amount'),
}

const cell = (paid: Transaction, field: TransactionField): string => {
  const find = apiValues[field]
  const value = find ? find(paid) : Object.entries(paid).find(([name]) => name === field)?.[1]
  return value === null || value === undefined ? '' : String(value)
}

const address = {
  city: 'Berlin',
  country: 'DE',
  postal_code: '10115',
  state: 'Berlin',
  state_code: 'DE-BE',
  house_number_or_name: '5',
  line1: 'Invalidenstraße 5',
  line2: 'Hof',
  organization: 'Ada & Co',
}
const billing_details = {
  first_name: 'Ada',
  last_name: 'Lovelace, "Countess"',
  email_address: 'ada@example.com',
  phone_number: '+4930123456',
  address,
  tax_id: { value: 'DE123456789', kind: 'eu.vat' },
}

/** Makes payments of each kind that the columns distinguish. */
async function payments(shop: Shop) {
  await addGiftCardService(railyard, shop)
  const proof = {
    cavv: 'AAAB',
    eci: '05',
    version: '2.2.0',
    directory_response: 'Y',
    authentication_response: 'Y',
    directory_transaction_id: 'd',
  }
  const sold = await shop.sold(100_00, {
    external_identifier: 'order-1',
    metadata: { shop: 'berlin', 'line\nbreak': 'ä' },
    buyer: { external_identifier: 'buyer-1', billing_details },
    three_d_secure_data: proof,
  })
  await sold.refund({ amount: 30_00 })
  const authorized = await shop.authorized(20_00, {
    currency: 'USD',
    payment_source: 'recurring',
    merchant_initiated: true,
    is_subsequent_payment: true,
  })
  await authorized.void()
  await shop.pay(15_00, { gift_cards: [{ ...newGiftCard(), amount: 5_00 }], intent: 'capture' })
  const declined = await shop.pay(200_011)
  return [sold.id, authorized.id, declined.body.id]
}

test('each column has the API’s value of the same payment', async () => {
  const shop = await openShop(railyard)
  await payments(shop)
  const lines = await linesOf(railyard, shop, {
    model: 'transactions',
    params: { fields: transactionFieldNames },
  })
  const { items } = (await shop.get('/transactions')).body
  expect(lines).toHaveLength(4)
  expect(items).toHaveLength(4)
  const filled = new Set<string>()
  for (const line of lines) {
    const paid: Transaction = (await shop.get(`/transactions/${line['id']}`)).body
    expect(line).toEqual(Object.fromEntries(transactionFieldNames.map((field) => [field, cell(paid, field)])))
    for (const [name, value] of Object.entries(line)) if (value !== '') filled.add(name)
  }
  // each column has a value at least once, apart from those that only settlements and challenges set
  const never = transactionFieldNames.filter((name) => !filled.has(name))
  expect([
    'settled_currency',
    'three_d_secure_method',
    'auth_response_code',
    'raw_response_code',
    'raw_response_description',
  ]).toEqual(expect.arrayContaining(never))
})

test('columns are in the order of `fields`, and rows in the order of their creation or of `sort`', async () => {
  const shop = await openShop(railyard)
  const ids: string[] = []
  for (const amount of [30_00, 10_00, 20_00]) ids.push((await shop.authorized(amount)).id)
  const sortedLines = async (sort?: unknown) =>
    linesOf(railyard, shop, {
      model: 'transactions',
      params: { fields: ['amount', 'id'], ...(sort !== undefined && { sort }) },
    })
  const byCreation = await sortedLines()
  expect(byCreation.map(({ id }) => id)).toEqual(ids)
  expect(Object.keys(byCreation[0] ?? {})).toEqual(['amount', 'id'])
  expect((await sortedLines([{ field: 'created_at', order: 'desc' }])).map(({ id }) => id)).toEqual(
    ids.toReversed(),
  )
  expect((await sortedLines([{ field: 'amount', order: 'asc' }])).map(({ amount }) => amount)).toEqual([
    '1000',
    '2000',
    '3000',
  ])
  const sort = [
    { field: 'currency', order: 'asc' },
    { field: 'amount', order: 'desc' },
  ]
  expect((await sortedLines(sort)).map(({ amount }) => amount)).toEqual(['3000', '2000', '1000'])
})

test('a transaction must match all filters', async () => {
  const shop = await openShop(railyard)
  const [sold, authorized, declined] = await payments(shop)
  const findIds = async (filters: Record<string, unknown>) =>
    (await linesOf(railyard, shop, { model: 'transactions', params: { fields: ['id'], filters } })).map(
      ({ id }) => id,
    )
  expect(await findIds({ status: ['authorization_voided', 'authorization_failed'] })).toEqual([
    authorized,
    declined,
  ])
  expect(await findIds({ currency: ['USD'] })).toEqual([authorized])
  expect(await findIds({ method: ['card'], merchant_initiated: true })).toEqual([authorized])
  expect(await findIds({ is_subsequent_payment: true })).toEqual([authorized])
  expect(await findIds({ payment_source: ['recurring', 'moto'] })).toEqual([authorized])
  expect(await findIds({ scheme: [null] })).toEqual([])
  expect(await findIds({ scheme: [null, 'visa'] })).toHaveLength(4)
  expect(await findIds({ scheme: ['amex'] })).toEqual([])
  expect(await findIds({ metadata: [{ shop: 'berlin' }] })).toEqual([sold])
  expect(await findIds({ metadata: [{ shop: 'paris' }] })).toEqual([])
  expect(await findIds({ three_d_secure_eci: ['05'], three_d_secure_auth_resp: ['Y'] })).toEqual([sold])
  expect(await findIds({ status: null, created_at: { start: '2000-01-01', end: null } })).toHaveLength(4)
  expect(await findIds({ created_at: { start: '2999-01-01' } })).toEqual([])
  expect(await findIds({ voided_at: { end: '2999-01-01' } })).toEqual([authorized])
  expect(
    await findIds({ captured_at: { start: '2000-01-01T00:00:00' }, updated_at: { start: '2000-01-01' } }),
  ).toContain(sold)
})

test('a daily report has the payments of the day before, and none from before or after it', async () => {
  const shop = await openShop(railyard)
  const filters = { created_at: { start: 'day_start', end: 'day_end' } }
  const spec = { model: 'transactions', params: { fields: ['id', 'created_at'], filters } }
  const report = await shop.post('/reports', {
    name: 'Day',
    schedule: 'daily',
    schedule_enabled: true,
    schedule_timezone: 'Asia/Kathmandu',
    spec,
  })
  const end = Date.parse(report.body.next_execution_at)
  const paidAt = async (time: number) => {
    railyard.clock.advance(time - railyard.clock.now())
    return (await shop.authorized(1_00)).id
  }
  await paidAt(end - 5_000)
  const [first, last] = [await paidAt(end + 60_000), await paidAt(end + 86_340_000)]
  await paidAt(end + 86_400_000 + 60_000)
  await railyard.reports.runOnce()
  const { items } = (await shop.get(`/reports/${report.body.id}/executions`)).body
  const files = await Promise.all(items.map((execution: unknown) => download(shop, execution)))
  expect(files.map((file) => readCsv(file).map(({ id }) => id))).toEqual([
    [first, last],
    [expect.any(String)],
  ])
})

test('texts that look like formulas get an apostrophe, and amounts stay numbers', async () => {
  const shop = await openShop(railyard)
  const names = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '=HYPERLINK("http://evil.example","a,b")']
  for (const external_identifier of names) await shop.authorized(1_00, { external_identifier })
  const lines = await linesOf(railyard, shop, {
    model: 'transactions',
    params: { fields: ['external_identifier', 'amount'] },
  })
  expect(lines.map(({ external_identifier }) => external_identifier)).toEqual(names.map((name) => `'${name}`))
  expect(new Set(lines.map(({ amount }) => amount))).toEqual(new Set(['100']))
})

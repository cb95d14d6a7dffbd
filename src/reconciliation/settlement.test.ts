import { readFileSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { openBnplShop } from '../../test/support/domains/bnpl.ts'
import { cardReport, DAY_MS, readReport, sourceOf } from '../../test/support/domains/reconciliation.ts'
import { openWalletShop } from '../../test/support/domains/wallet.ts'
import { readEvents } from '../../test/support/events.ts'
import { openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const readCardReport = async (days: number) => {
  railyard.clock.advance(days * DAY_MS)
  return readReport(
    railyard,
    await sourceOf(railyard, shop.account, shop.paymentServiceId),
    await cardReport(railyard, shop.paymentServiceId),
  )
}
const list = async (payment: { id: string }, resource: string) =>
  (await shop.get(`/transactions/${payment.id}/${resource}`)).body.items

test('a report’s settlement line settles the payment, with its fees', async () => {
  const payment = await shop.sold(100_00, { external_identifier: 'order-1' })
  expect(await payment.read()).toMatchObject({ settled: false, settled_amount: 0, settled_currency: null })
  expect(await list(payment, 'settlements')).toEqual([])
  expect(await readCardReport(2)).toMatchObject({ status: 'read', counts: { read: 1, settlement: 1 } })
  // 1 % interchange, 0.3 % markup, 0.15 % scheme fee
  expect(await payment.read()).toMatchObject({
    settled: true,
    settled_amount: 98_55,
    settled_currency: 'EUR',
    status: 'capture_succeeded',
  })
  const [settlement] = await list(payment, 'settlements')
  expect(settlement).toMatchObject({
    type: 'settlement',
    transaction_id: payment.id,
    merchant_account_id: shop.account,
    amount: 98_55,
    currency: 'EUR',
    exchange_rate: null,
    commission: 1_45,
    interchange: 1_00,
    markup: 30,
    scheme_fee: 15,
  })
  expect(await shop.get(`/transactions/${payment.id}/settlements/${settlement.id}`)).toMatchObject({
    status: 200,
    body: settlement,
  })
  expect(await shop.get(`/transactions/${payment.id}/refund-settlements/${settlement.id}`)).toMatchObject({
    status: 404,
  })
  expect(
    (await shop.get('/transactions?has_settlements=true')).body.items.map(({ id }: { id: string }) => id),
  ).toContain(payment.id)
  const events = (await readEvents(railyard, shop)).filter(({ target }) => target.id === payment.id)
  const last = events.at(-1)
  expect(last).toMatchObject({
    name: 'transaction.settled',
    sequence: events.length,
    target: { settled: true, settled_amount: 98_55 },
  })
  expect(await payment.timeline()).toContain('payment-connector-report-transaction-settled')
})

test('a payment that is settled in two parts has two settlements and their sum', async () => {
  const payment = await shop.sold(570003)
  expect(await readCardReport(2)).toMatchObject({ counts: { settlement: 2 } })
  const settlements = await list(payment, 'settlements')
  expect(settlements).toHaveLength(2)
  const sum = settlements.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
  expect(await payment.read()).toMatchObject({ settled: true, settled_amount: sum })
})

test('a payment may be settled in another currency, with an exchange rate', async () => {
  const payment = await shop.sold(570004)
  await readCardReport(2)
  const [{ exchange_rate, currency, amount, commission }] = await list(payment, 'settlements')
  expect({ exchange_rate, currency, gross: amount + commission }).toEqual({
    exchange_rate: 1.1,
    currency: 'USD',
    gross: Math.round(570004 * 1.1),
  })
  expect(await payment.read()).toMatchObject({
    currency: 'EUR',
    settled_currency: 'USD',
    settled_amount: amount,
  })
})

test('a refund has a settlement of its own', async () => {
  const payment = await shop.sold(50_00)
  const { body: refund } = await payment.refund({ amount: 20_00 })
  expect(refund).toMatchObject({ settled: false, settled_amount: 0, settled_currency: null })
  expect(await readCardReport(2)).toMatchObject({ counts: { settlement: 1, 'refund-settlement': 1 } })
  expect((await shop.get(`/refunds/${refund.id}`)).body).toMatchObject({
    settled: true,
    settled_amount: 20_00,
    settled_currency: 'EUR',
  })
  const [settlement] = await list(payment, 'refund-settlements')
  expect(settlement).toMatchObject({
    type: 'refund-settlement',
    refund_id: refund.id,
    amount: 20_00,
    commission: 0,
  })
  expect(await shop.get(`/transactions/${payment.id}/refund-settlements/${settlement.id}`)).toMatchObject({
    status: 200,
    body: settlement,
  })
  expect(await payment.timeline()).toContain('payment-connector-report-refund-settled')
})

test('a chargeback makes a payment disputed, also after its reversal', async () => {
  const lost = await shop.sold(570001)
  const won = await shop.sold(570002)
  await readCardReport(5)
  expect(await list(lost, 'chargebacks')).toMatchObject([
    { type: 'chargeback', amount: 570001 + 15_00, commission: 15_00 },
  ])
  expect(await list(lost, 'chargeback-reversals')).toEqual([])
  expect(await list(won, 'chargeback-reversals')).toMatchObject([
    { type: 'chargeback-reversal', amount: 570002 },
  ])
  for (const payment of [lost, won])
    expect(await payment.read()).toMatchObject({ disputed: true, settled: true })
  expect(await won.timeline()).toEqual(
    expect.arrayContaining([
      'payment-connector-report-chargeback-posted',
      'payment-connector-report-chargeback-reversal-posted',
    ]),
  )
})

test('new reports are fetched from each payment service with reporting, in its own format', async () => {
  const wallet = await openWalletShop(railyard)
  const bnpl = await openBnplShop(railyard)
  const walletPayment = await wallet.sold(123_45)
  const { body: walletRefund } = await walletPayment.refund({ amount: 23_45 })
  const bnplPayment = await bnpl.paidOnPage(89_99, { intent: 'capture' })
  const { body: bnplRefund } = await bnpl.post(`/transactions/${bnplPayment}/refunds`, { amount: 9_99 })
  for (const { account, id } of [
    { account: wallet.account, id: wallet.walletServiceId },
    { account: bnpl.account, id: bnpl.serviceId },
  ]) {
    const answer = await railyard.admin.put(
      `/payment-services/${id}`,
      { settlement_reporting_enabled: true },
      { 'x-svc-merchant-account-id': account },
    )
    expect(answer).toMatchObject({ status: 200 })
  }
  railyard.clock.advance(3 * DAY_MS)
  expect(await railyard.reconciliation.runOnce()).toBe(2)
  expect(await walletPayment.read()).toMatchObject({
    settled: true,
    settled_currency: 'EUR',
    settled_amount: 12345 - 123 - 37 - 18,
  })
  expect((await wallet.get(`/refunds/${walletRefund.id}`)).body).toMatchObject({
    settled: true,
    settled_amount: 23_45,
  })
  expect((await bnpl.get(`/transactions/${bnplPayment}`)).body).toMatchObject({
    settled: true,
    settled_amount: 8999 - 89 - 26 - 13,
  })
  expect((await bnpl.get(`/refunds/${bnplRefund.id}`)).body).toMatchObject({
    settled: true,
    settled_amount: 9_99,
  })
  railyard.clock.advance(2 * 3_600_000)
  expect(await railyard.reconciliation.runOnce()).toBe(0)
})

test('a report whose content was read under another name is fetched only once', async () => {
  const merchant = await openShop(railyard)
  await merchant.sold(12_99)
  expect(
    await merchant.put(`/payment-services/${merchant.paymentServiceId}`, {
      settlement_reporting_enabled: true,
    }),
  ).toMatchObject({ status: 200 })
  railyard.clock.advance(3 * DAY_MS)
  const source = await sourceOf(railyard, merchant.account, merchant.paymentServiceId)
  await readReport(railyard, source, await cardReport(railyard, merchant.paymentServiceId), {
    name: 'read by hand.csv',
  })
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    rounds.push(await railyard.reconciliation.runOnce())
    railyard.clock.advance(2 * 3_600_000)
  }
  expect(rounds).toEqual([1, 0, 0])
})

/** Opens a shop with settlement reporting, and two payments that are in its report. */
async function twoSettled() {
  const merchant = await openShop(railyard)
  const service = merchant.paymentServiceId
  const payments = [await merchant.sold(10_00), await merchant.sold(20_00)]
  const [, second] = await Promise.all(
    payments.map(async (payment) => (await payment.read()).payment_service_transaction_id),
  )
  expect(
    await merchant.put(`/payment-services/${service}`, { settlement_reporting_enabled: true }),
  ).toMatchObject({ status: 200 })
  railyard.clock.advance(3 * DAY_MS)
  const { http } = railyard.world
  const { request, download } = http
  onTestFinished(() => void Object.assign(http, { request, download }))
  let fetched = 0
  return {
    /** Sets the version of the listed reports, and whether a file has both payments or only the first. */
    issue({ version, isWhole }: { version: string | undefined; isWhole: boolean }) {
      http.request = async (requested) => {
        const answer = await request(requested)
        if (!requested.url.includes(`${service}/reports?since=`) || answer.lost) return answer
        const items = (answer.body['items'] as object[]).map((item) => ({ ...item, version }))
        return { ...answer, body: { items } }
      }
      http.download = async (requested, file) => {
        const problem = await download(requested, file)
        if (!requested.url.includes(service)) return problem
        fetched += 1
        const lines = readFileSync(file, 'utf8').split('\n')
        writeFileSync(file, lines.filter((line) => isWhole || !line.includes(second)).join('\n'))
        return problem
      }
    },
    /**
     * Lets time pass and fetches reports. Answers how often reports were fetched in all, and the number of
     * settlements of each payment.
     */
    async after(hours: number) {
      railyard.clock.advance(hours * 3_600_000)
      await railyard.reconciliation.runOnce()
      const settlements = await Promise.all(
        payments.map(
          async ({ id }) => (await merchant.get(`/transactions/${id}/settlements`)).body.items.length,
        ),
      )
      return { fetched, settlements }
    },
  }
}

test('a report with a new version is read again, and its earlier lines count once', async () => {
  const { issue, after } = await twoSettled()
  issue({ version: 'first', isWhole: false })
  expect(await after(0)).toEqual({ fetched: 1, settlements: [1, 0] })
  expect(await after(30)).toEqual({ fetched: 1, settlements: [1, 0] })
  issue({ version: 'second', isWhole: true })
  expect(await after(2)).toEqual({ fetched: 2, settlements: [1, 1] })
  expect(await after(30)).toEqual({ fetched: 2, settlements: [1, 1] })
})

test('a report without a version is fetched again a day later', async () => {
  const { issue, after } = await twoSettled()
  issue({ version: undefined, isWhole: false })
  expect(await after(0)).toEqual({ fetched: 1, settlements: [1, 0] })
  issue({ version: undefined, isWhole: true })
  expect(await after(2)).toEqual({ fetched: 1, settlements: [1, 0] })
  expect(await after(24)).toEqual({ fetched: 2, settlements: [1, 1] })
})

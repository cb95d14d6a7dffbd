import { expect, test } from 'vitest'
import { settlementReport } from '../../../src/connectors/adyen/settlement-report.ts'
import { keyMaker } from '../../../src/reconciliation/line-key.ts'
import { lineReader, missingColumns } from '../../../src/reconciliation/read-line.ts'
import { HMAC_KEY, MERCHANT } from './fake.ts'
import { signedWebhook } from './fake-webhook.ts'
import { openBench } from './harness.ts'

test('a report that the provider tells of is offered under the name that is signed', async () => {
  const bench = openBench()
  bench.fields['report_api_key'] = 'report-key'
  const event = (pspReference: string) =>
    signedWebhook(
      {
        eventCode: 'REPORT_AVAILABLE',
        success: true,
        pspReference,
        merchantReference: '',
        amount: { value: 0, currency: 'EUR' },
        // not signed: it must not decide where the key is sent
        reason: 'https://evil.example/steal',
      },
      { merchant: MERCHANT, key: HMAC_KEY, now: bench.fake.now() },
    )
  const name = 'settlement_detail_report_batch_12.csv'
  await bench.deliver([name, name, 'payments_accounting_report_2026_06_01.csv', '../other.csv'].map(event))
  const call = bench.call({ paymentReference: 'settlement-reports' })
  expect(await bench.connector.offeredReports?.(call, '2026-01-01T00:00:00Z')).toEqual({
    offered: [
      {
        name,
        version: name,
        request: {
          method: 'GET',
          url: `http://adyen.test/reports/download/MerchantAccount/RailyardTestECOM/${name}`,
          headers: { 'x-api-key': 'report-key' },
        },
      },
    ],
  })
  expect(await bench.connector.offeredReports?.(call, '2027-01-01T00:00:00Z')).toEqual({ offered: [] })
})

const header = (
  'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,' +
  'Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,' +
  'Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),' +
  'Payment Method Variant,Modification Merchant Reference,Batch Number'
).split(',')

const line = (cells: Record<string, string>) =>
  header.map(
    (name) =>
      ({
        'Psp Reference': 'PAYMENT',
        'Modification Reference': 'MODIFICATION',
        'Creation Date': '2026-06-01 10:05:11',
        TimeZone: 'CEST',
        'Gross Currency': 'EUR',
        'Net Currency': 'EUR',
        'Exchange Rate': '1',
        ...cells,
      })[name] ?? '',
  )

const read = lineReader(settlementReport, header)

test('the report has every column that is read', () => {
  expect(missingColumns(settlementReport, header)).toEqual([])
  expect(
    missingColumns(
      settlementReport,
      header.filter((name) => name !== 'TimeZone'),
    ),
  ).toEqual(['TimeZone'])
})

test.each([
  ['Settled', 'Gross Credit (GC)', 'Net Credit (NC)', 'settlement'],
  ['Settled', 'Gross Debit (GC)', 'Net Credit (NC)', 'settlement'],
  ['ChargebackReversed', 'Gross Credit (GC)', 'Net Credit (NC)', 'chargeback-reversal'],
  ['Refunded', 'Gross Debit (GC)', 'Net Debit (NC)', 'refund-settlement'],
  ['Chargeback', 'Gross Debit (GC)', 'Net Debit (NC)', 'chargeback'],
])('a line %s with %s and %s is a %s', (Type, gross, net, kind) => {
  expect(read(line({ Type, [gross]: '100.00', [net]: '98.50', 'Commission (NC)': '1.50' }))).toEqual({
    line: {
      id: null,
      kind,
      payment: 'PAYMENT',
      refund: kind === 'refund-settlement' ? 'MODIFICATION' : null,
      gross: 100_00,
      grossCurrency: 'EUR',
      net: 98_50,
      currency: 'EUR',
      exchangeRate: 1,
      commission: 1_50,
      interchange: null,
      markup: null,
      schemeFee: null,
      postedAt: '2026-06-01T08:05:11.000Z',
    },
  })
})

test('the parts of the fees are added up', () => {
  const fees = { 'Markup (NC)': '0.10', 'Scheme Fees (NC)': '0.05', 'Interchange (NC)': '0.25' }
  expect(
    read(line({ Type: 'Settled', 'Gross Credit (GC)': '10.00', 'Net Credit (NC)': '9.60', ...fees })),
  ).toMatchObject({
    line: { net: 9_60, commission: 40, markup: 10, schemeFee: 5, interchange: 25 },
  })
})

test('a settlement that costs more than it brings has a negative net amount', () => {
  const cells = { 'Gross Credit (GC)': '0.10', 'Net Debit (NC)': '0.05', 'Commission (NC)': '0.15' }
  expect(read(line({ Type: 'Settled', ...cells }))).toMatchObject({
    line: { gross: 10, net: -5, commission: 15 },
  })
})

test.each(['Fee', 'MerchantPayout', 'InvoiceDeduction', 'Balancetransfer', 'DepositCorrection'])(
  'a line %s is about no payment',
  (Type) => {
    expect(read(line({ Type }))).toEqual({ ignored: true })
  },
)

test.each([
  [{ Type: 'New' }, /Type: unknown word/],
  [{ Type: 'Settled', 'Net Credit (NC)': '1.00' }, /Gross Credit/],
  [{ Type: 'Settled', 'Gross Credit (GC)': '1.001', 'Net Credit (NC)': '1.00' }, /Gross Credit/],
  [
    { Type: 'Settled', 'Gross Credit (GC)': '1.00', 'Net Credit (NC)': '1.00', TimeZone: 'XYZ' },
    /Creation Date/,
  ],
])('a line %o cannot be read', (cells, problem) => {
  expect(read(line(cells))).toMatchObject({ malformed: expect.stringMatching(problem) })
})

test('equal lines of an installment in two batches are two lines, and one line in a wider layout is one', () => {
  const cells = (batch: string) => line({ Type: 'SettledInInstallments', 'Batch Number': batch })
  const keyOf = (columns: string[], row: string[]) => keyMaker(settlementReport, columns)(null, row).key
  const first = keyOf(header, cells('12'))
  expect(keyOf(header, cells('13'))).not.toBe(first)
  expect(keyOf([...header, 'Reserved4'], [...cells('12'), 'new'])).toBe(first)
})

import { stringify } from 'csv-stringify/sync'
import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import type { FakeAction, FakeBooks, FakePayment } from './fake-books.ts'

const header = [
  ...['Client Entity ID', 'Action Type', 'Action ID', 'Payment ID', 'Requested On', 'Processed On'],
  ...[
    'Processing Currency',
    'FX Rate Applied',
    'Holding Currency',
    'Payout ID',
    'Reference',
    'Breakdown Type',
  ],
  ...['Processing Currency Amount', 'Holding Currency Amount'],
] as const

interface FakeReport {
  id: string
  description: string
  createdOn: string
  filename: string
  csv: string
}

const fees: Readonly<Record<string, readonly [string, string][]>> = {
  Authorization: [['Authorization Fixed Fee', '-0.05']],
  Capture: [
    ['Scheme Variable Fee', '-0.01234567'],
    ['Premium Variable Fee', '-0.3'],
  ],
  Refund: [['Refund Fixed Fee', '-0.1']],
}

/** The Financial Actions reports: each settlement has what was not paid out before. */
export function fakeReports(books: FakeBooks) {
  const reports: FakeReport[] = []
  const paidOut = new Set<string>()

  function rowsOf(payment: FakePayment, action: FakeAction, payout: string): string[][] {
    const sign = action.type === 'Refund' ? -1 : 1
    const isSettled = action.type === 'Capture' || action.type === 'Refund'
    const parts: [string, string][] = [
      ...(isSettled ? [[action.type, ((sign * action.amount) / 100).toFixed(2)] as [string, string]] : []),
      ...(fees[action.type] ?? []),
    ]
    return parts.map(([breakdown, amount]) => {
      const row: Record<(typeof header)[number], string> = {
        'Client Entity ID': 'ent_abcdefghijklmnopqrstuvwxyz',
        'Action Type': action.type,
        'Action ID': action.id,
        'Payment ID': payment.id,
        'Requested On': action.processed_on.slice(0, 19).replace('T', ' '),
        'Processed On': action.processed_on.slice(0, 19).replace('T', ' '),
        'Processing Currency': payment.currency,
        'FX Rate Applied': '1',
        'Holding Currency': payment.currency,
        'Payout ID': payout,
        Reference: action.reference ?? '',
        'Breakdown Type': breakdown,
        'Processing Currency Amount': amount,
        'Holding Currency Amount': amount,
      }
      return header.map((name) => row[name])
    })
  }

  function add(description: string, filename: string, rows: string[][]): string {
    const id = books.newId('rpt')
    const csv = stringify([[...header], ...rows])
    reports.unshift({ id, description, createdOn: books.timestamp(), filename, csv })
    return filename
  }

  return {
    /** Answers the name of the report's file. */
    payOut(): string {
      const payout = books.newId('payout')
      const due = [...books.payments.values()].flatMap((payment) =>
        payment.actions
          .filter(({ id, approved }) => approved && !paidOut.has(id))
          .map((action) => ({ payment, action })),
      )
      for (const { action } of due) paidOut.add(action.id)
      const rows = due.flatMap(({ payment, action }) => rowsOf(payment, action, payout))
      // the report of the same day is listed beside it
      add('Financial Actions by Date Range', `financial-actions_ent_20261123_20261124_1.csv`, rows)
      return add('Financial Actions by Payout ID', `financial-actions_ent_20261124_${payout}_1.csv`, rows)
    },
    route(id: string, file: string, query: URLSearchParams): FakeAnswer {
      const found = reports.find((each) => each.id === id)
      if (file !== '')
        return found
          ? { status: 200, headers: { 'content-type': 'text/csv' }, body: found.csv }
          : { status: 404 }
      // a page has one report
      const since = reports.filter(({ createdOn }) => createdOn >= (query.get('created_after') ?? ''))
      const at = Number(query.get('pagination_token') ?? 0)
      const next =
        at + 1 < since.length ? { next: { href: `https://api.test/reports?pagination_token=${at + 1}` } } : {}
      const data = since.slice(at, at + 1).map((each) => ({
        id: each.id,
        created_on: each.createdOn,
        last_modified_on: each.createdOn,
        type: 'FinancialActions',
        description: each.description,
        tags: [],
        files: [{ id: 'file_1', filename: each.filename, format: 'CSV' }],
      }))
      return { status: 200, body: { count: data.length, limit: 1, data, _links: next } }
    },
  }
}

import { expect, test } from 'vitest'
import { type ErasedOperation, erasedOperation, erasedTransaction } from '../privacy/erased-rows.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import { archivedColumns } from './archived-columns.ts'

// A file is never changed by an erasure, so it may have only what an erasure leaves.

const MARK = 'Ada Lovelace'

type Json = Record<string, unknown>

/** A row with the mark at a path. */
const rowWith = <Row>(path: readonly string[], base: Json): Row => {
  const value = path.reduceRight<unknown>(
    (inner, member) => (member === '0' ? [inner] : { [member]: inner }),
    MARK,
  )
  return JSON.parse(JSON.stringify({ ...base, ...Object(value) }))
}

const transaction = {
  buyer: null,
  details: {},
  payment_method: null,
  three_d_secure: null,
  identifiers: null,
  approval: null,
  actions: null,
}
const erasures = {
  transactions: (path: readonly string[]) => {
    const row = rowWith<TransactionRow>(path, transaction)
    return { ...row, ...erasedTransaction(row) }
  },
  operations: (path: readonly string[]) => {
    const row = rowWith<ErasedOperation>(path, { input: {}, exchanges: [], packed_exchanges: null })
    return { ...row, ...erasedOperation(row) }
  },
  // an erasure leaves lines of settlement reports as they are
  settlements: (path: readonly string[]) => rowWith<Json>(path, {}),
}

const isLeft = (table: keyof typeof erasures, path: readonly string[]) =>
  path.reduce<unknown>((value, member) => Object(value)[member], erasures[table](path)) === MARK

test.each(Object.entries(archivedColumns))(
  'an erasure leaves every archived column of %s',
  (table, columns) => {
    const erased = columns.filter(
      ({ path }) => !isLeft(table === 'operations' || table === 'settlements' ? table : 'transactions', path),
    )
    expect(erased.map(({ name }) => name)).toEqual([])
  },
)

test.each([
  ['transactions', ['buyer', 'external_identifier']],
  ['transactions', ['metadata', 'note']],
  ['transactions', ['ip_address']],
  ['transactions', ['payment_method', 'approval_url']],
  ['operations', ['input', 'reason']],
] as const)('a personal column of %s would be found: %s', (table, path) => {
  expect(isLeft(table, path)).toBe(false)
})

import { createHash } from 'node:crypto'
import type { ArchivedColumn } from './archived-columns.ts'
import type { ArchivedFile } from './archived-file.store.ts'
import { type ArchivedRow, timeOfMicros } from './parquet-file.ts'

/** The payments of an account in a currency. Sums are text, since they may be larger than a number holds. */
export interface AmountSum {
  account: string
  currency: string
  payments: number
  authorized: string
  captured: string
  refunded: string
}

/** What rows say together: their number, a hash over all of their values, sums, and their times. */
export class RowsSummary {
  rows = 0
  readonly #columns: readonly ArchivedColumn[]
  readonly #hash = createHash('sha256')
  readonly #sums = new Map<string, bigint[]>()
  #digest: string | undefined
  /** In microseconds since 1970. */
  #earliest: bigint | undefined
  #latest: bigint | undefined

  constructor(columns: readonly ArchivedColumn[]) {
    this.#columns = columns
  }

  /** The same batches, added on their way. */
  async *over(batches: AsyncIterable<ArchivedRow[]>): AsyncGenerator<ArchivedRow[]> {
    for await (const rows of batches) {
      this.add(rows)
      yield rows
    }
  }

  add(rows: readonly ArchivedRow[]): void {
    for (const row of rows) {
      const values = this.#columns.map(({ name }) => row[name] ?? null)
      this.#hash.update(
        JSON.stringify(values.map((value) => (typeof value === 'bigint' ? `${value}` : value))),
      )
      const key = JSON.stringify([row['merchant_account_id'], row['currency']])
      const amounts = ['authorized_amount', 'captured_amount', 'refunded_amount'].map((name) =>
        BigInt(row[name] ?? 0),
      )
      const sums = this.#sums.get(key)
      this.#sums.set(
        key,
        [1n, ...amounts].map((amount, index) => amount + (sums?.[index] ?? 0n)),
      )
      for (const { name, type } of this.#columns) {
        const time = row[name]
        if (type !== 'TIMESTAMP' || typeof time !== 'bigint') continue
        if (this.#earliest === undefined || time < this.#earliest) this.#earliest = time
        if (this.#latest === undefined || time > this.#latest) this.#latest = time
      }
    }
    this.rows += rows.length
  }

  /** Of all rows that were added; none may follow. */
  hash(): string {
    this.#digest ??= this.#hash.digest('hex')
    return this.#digest
  }

  /** Whether they are so many, and add up to these amounts. */
  agreesWith({ rows, amounts }: { rows: number | undefined; amounts: readonly AmountSum[] }): boolean {
    return (
      rows === this.rows &&
      amounts.every(({ account, currency, payments, authorized, captured, refunded }) => {
        const sums = this.#sums.get(JSON.stringify([account, currency]))
        return sums?.join() === [payments, authorized, captured, refunded].join()
      })
    )
  }

  /** The lowest and the highest of all times; null: there is none. */
  span(): Pick<ArchivedFile, 'earliest' | 'latest'> {
    const [earliest = null, latest = null] = [this.#earliest, this.#latest].map((time) =>
      time === undefined ? null : timeOfMicros(time),
    )
    return { earliest, latest }
  }
}

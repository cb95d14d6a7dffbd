import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import { Compile } from '../wire/compile.ts'
import type { MollieOptions } from './environment.ts'
import { fromMoney } from './money.ts'
import { access, pages } from './organization.ts'
import { send } from './wire.ts'

const Money = Type.Object({ currency: Type.String(), value: Type.String() })

const Transaction = Type.Object({
  type: Type.String(),
  initialAmount: Money,
  resultAmount: Money,
  context: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  createdAt: Type.String(),
})
type Transaction = Static<typeof Transaction>
const transaction = Compile(Transaction)
const balance = Compile(Type.Object({ id: Type.String({ minLength: 1 }) }))

/** What a balance took of an entry, in the smallest unit of `currency`; negative: it was given. */
export interface Fee {
  amount: number
  currency: string
}

/**
 * The fee of a payment, capture, refund or chargeback; null: the balance does not tell; undefined: it cannot be
 * read now. `createdAt`: nothing of it is in the balance before.
 */
export type BalanceFees = (id: string, createdAt: string | null) => Promise<Fee | null | undefined>

/** The part of a fee that a line shows: Railyard's lines have one currency for what is settled. */
export const settledFee = (fee: Fee | null, currency: string | undefined): number =>
  fee !== null && fee.currency === currency ? fee.amount : 0

/**
 * Reads the transactions of the primary balance, newest first, as far as the fees that are asked for need, and once
 * for all settlements.
 */
export function balanceFees(options: MollieOptions, call: ServiceCall): BalanceFees {
  const known = new Map<string, Fee>()
  let oldest = Number.POSITIVE_INFINITY
  let reading: AsyncIterator<readonly unknown[] | undefined> | null | undefined

  /** False: there is nothing more. Undefined: it cannot be read. */
  async function readPage(): Promise<boolean | undefined> {
    if (reading === undefined) reading = await openBalance(options, call)
    if (!reading) return reading === null ? false : undefined
    const { value: items, done } = await reading.next()
    if (done) return false
    if (!items) return undefined
    for (const item of items) {
      if (!transaction.Check(item)) return undefined
      oldest = Math.min(oldest, Date.parse(item.createdAt))
      addFee(known, item)
    }
    return true
  }

  /** The next look begins with the newest transaction again. */
  function forget(): undefined {
    known.clear()
    oldest = Number.POSITIVE_INFINITY
    reading = undefined
  }

  return async (id, createdAt) => {
    const since = createdAt === null ? Number.NEGATIVE_INFINITY : Date.parse(createdAt)
    while (!known.has(id) && !(oldest < since)) {
      const isRead = await readPage()
      if (isRead === undefined) return forget()
      if (!isRead) return null
    }
    return known.get(id) ?? null
  }
}

/** The pages of the primary balance; null: the token may not read it; undefined: there is no answer. */
async function openBalance(
  options: MollieOptions,
  call: ServiceCall,
): Promise<AsyncIterator<readonly unknown[] | undefined> | null | undefined> {
  const answer = await send(options, call, access(call, '/balances/primary', {}))
  if (answer === null || answer.lost || answer.status >= 500 || answer.status === 429) return undefined
  if (answer.status !== 200 || !balance.Check(answer.body)) return null
  return pages(options, call, `/balances/${encodeURIComponent(answer.body.id)}/transactions`)
}

/** The id of the entry that a transaction is of, by its type. */
const contextKeys: Readonly<Record<string, string>> = {
  payment: 'paymentId',
  capture: 'captureId',
  refund: 'refundId',
  chargeback: 'chargebackId',
}

function addFee(known: Map<string, Fee>, { type, context, initialAmount, resultAmount }: Transaction): void {
  const key = contextKeys[type]
  if (key === undefined || !context) return
  const { currency } = initialAmount
  const [initial, result] = [initialAmount, resultAmount].map(({ value, currency }) =>
    signed(value, currency),
  )
  const id = context[key] ?? memberOf(context[type], key)
  if (typeof id !== 'string' || initial === undefined || result === undefined) return
  if (resultAmount.currency !== currency) return
  const earlier = known.get(id)?.amount ?? 0
  known.set(id, { amount: earlier + initial - result, currency })
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined

function signed(value: string, currency: string): number | undefined {
  const amount = fromMoney({ value: value.replace(/^-/, ''), currency }, currency)
  return amount !== undefined && value.startsWith('-') ? -amount : amount
}

import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../api/errors.ts'
import { redactor } from '../connectors/redact.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionStatus, TransactionUpdate } from './transaction.schema.ts'

/** What a correction says of money. It needs the scope `transactions.correct`, and waits for operations that are pending (SEMANTICS §0.14). */
export const moneyFields = ['status', 'amount', 'authorized_amount', 'captured_amount'] as const
/** What names the payment elsewhere, or is the merchant's own. Null empties it. */
const ownFields = ['payment_service_transaction_id', 'external_identifier', 'metadata'] as const

type MoneyField = (typeof moneyFields)[number]
type Field = MoneyField | (typeof ownFields)[number]

/** Whether the request says anything of money; null leaves a value as it is. */
export const namesMoney = (input: TransactionUpdate): boolean => moneyFields.some((field) => (input[field] ?? null) !== null)

/** Whether the request says anything else. */
export const namesOther = ({ connection_options, ...input }: TransactionUpdate): boolean =>
  connection_options !== undefined || ownFields.some((field) => input[field] !== undefined)

/** What a correction makes of a payment. */
export interface Correction {
  after: TransactionRow
  /** Of the fields that change: as they were, and as they are from now on. */
  changed: { before: Partial<Record<Field, unknown>>; after: Partial<Record<Field, unknown>> }
  /** Whether money or the reference at the payment service changes: what is pending there would be decided against other values. */
  touchesMoney: boolean
}

/** Undefined: nothing changes. */
export function correctionOf(row: TransactionRow, input: TransactionUpdate, now: string): Correction | undefined {
  const wanted = {
    ...row,
    ...Object.fromEntries(moneyFields.flatMap((field) => (input[field] === undefined || input[field] === null ? [] : [[field, input[field]]]))),
    ...Object.fromEntries(ownFields.flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]]]))),
    details: detailsAfter(row, input),
  }
  const fields = [...moneyFields, ...ownFields].filter((field) => !isDeepStrictEqual(wanted[field], row[field]))
  if (fields.length === 0 && isDeepStrictEqual(wanted.details, row.details)) return undefined
  const money = fields.some((field) => moneyFields.some((each) => each === field))
  return {
    after: wanted.status === row.status ? wanted : { ...wanted, ...derived(wanted, now) },
    changed: {
      before: Object.fromEntries(fields.map((field) => [field, row[field]])),
      after: Object.fromEntries(fields.map((field) => [field, wanted[field]])),
    },
    touchesMoney: money || fields.includes('payment_service_transaction_id'),
  }
}

function detailsAfter({ details }: TransactionRow, { connection_options: given }: TransactionUpdate): TransactionRow['details'] {
  if (given === undefined) return details
  // as the column holds them: card numbers taken out, and what is undefined left out
  return JSON.parse(JSON.stringify({ ...details, connection_options: given === null ? null : redactor(undefined)(given) }))
}

type Amounts = Pick<TransactionRow, 'amount' | 'authorized_amount' | 'captured_amount'>

/** What amounts a status means. A status without a line is that of an operation that is pending, which no correction makes. */
const rules: Partial<Record<TransactionStatus, (amounts: Amounts) => Partial<Record<MoneyField, string | false>>>> = {
  authorization_succeeded: ({ amount, authorized_amount, captured_amount }) => ({
    authorized_amount: amount > 0 && authorized_amount === 0 && 'must be greater than 0 where the authorization succeeded',
    captured_amount: captured_amount > 0 && 'must be 0 where nothing is captured: the status of a captured payment is capture_succeeded',
  }),
  capture_succeeded: ({ amount, captured_amount }) => ({
    captured_amount: amount > 0 && captured_amount === 0 && 'must be greater than 0 where the payment is captured',
  }),
  authorization_voided: ({ captured_amount }) => ({ captured_amount: captured_amount > 0 && 'must be 0 where the authorization is voided' }),
  authorization_failed: (amounts) => without(amounts),
  authorization_declined: (amounts) => without(amounts),
}

const without = ({ authorized_amount, captured_amount }: Amounts) => ({
  authorized_amount: authorized_amount > 0 && 'must be 0 where the authorization failed',
  captured_amount: captured_amount > 0 && 'must be 0 where the authorization failed',
})

/**
 * Throws 400 where amounts and status would contradict each other: a declined payment does not become an authorized one without the money that was authorized, nor a captured one
 * without what was captured.
 */
export function refuseContradictions({ after, changed }: Correction): void {
  if (!moneyFields.some((field) => field in changed.after)) return
  const { status, amount, authorized_amount, payment_method, gift_cards } = after
  const rule = rules[status]
  if (!rule) throw invalid({ '/status': `cannot be corrected to ${status}: it is the status of a payment of which an operation is pending` })
  // gift cards alone: their redemptions are the payment
  const isGiftCards = payment_method === null && gift_cards !== null
  const problems = {
    ...(!isGiftCards && rule(after)),
    ...(authorized_amount > amount && { authorized_amount: 'may not exceed amount' }),
  }
  const blamed = Object.entries(problems).flatMap(([field, problem]) => (problem ? [[`/${field}`, problem] as const] : []))
  if (blamed.length > 0) throw invalid(Object.fromEntries(blamed))
}

type Derived = Partial<
  Pick<TransactionRow, 'intent_outcome' | 'capture_closed' | 'error_code' | 'authorized_at' | 'captured_at' | 'voided_at' | 'canceled_at'>
>

/** What follows from another status. With gift cards the outcome of the intent is theirs, too, and stays. */
function derived(row: TransactionRow, now: string): Derived {
  const outcome = (intent_outcome: TransactionRow['intent_outcome']) => (row.gift_cards === null ? { intent_outcome } : {})
  const authorized_at = row.authorized_at ?? now
  const never = { authorized_at: null, captured_at: null, voided_at: null, canceled_at: null }
  switch (row.status) {
    case 'authorization_succeeded':
      return { ...never, authorized_at, capture_closed: false, error_code: null, ...outcome(row.intent === 'authorize' ? 'succeeded' : 'pending') }
    case 'capture_succeeded':
      return { ...never, authorized_at, captured_at: row.captured_at ?? now, error_code: null, ...outcome('succeeded') }
    case 'authorization_voided':
      return { ...never, authorized_at, voided_at: row.voided_at ?? now, capture_closed: true, error_code: null }
    default:
      return { ...never, canceled_at: row.canceled_at, capture_closed: true, ...outcome('failed') }
  }
}

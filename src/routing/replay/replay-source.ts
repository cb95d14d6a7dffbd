import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import type { FlowAction } from '../action.schema.ts'
import type { RoutedPayment } from '../facts.ts'

/** The payments to read, newest first. */
export interface ReplayWindow {
  account: string
  /** ISO 8601, both included. */
  from: string
  to: string
}

/** The parts of a transaction's action that a replay compares. */
export interface RecordedAction {
  id: FlowAction
  rule_id: string
  /** The steps of `route-transaction`. */
  result: { payment_service_id: string; instrument: string | null }[] | null
  /** The skipped payment services, each with the reason. */
  skipped: { payment_service_id: string; reason: string }[] | null
}

/** A transaction when it was created, from its row and its journal. */
export interface RecordedPayment extends RoutedPayment {
  id: string
  payment_method: {
    bin: string | null
    scheme: string | null
    card_type: string | null
    issuer_country: string | null
  }
  /** The requested amount, without later increments. */
  amount: number
  error_code: string | null
  eligible: string[] | null
  actions: RecordedAction[] | null
  /** The request named its payment service. */
  namesService: boolean
  /** The payment service of the last attempt. */
  payment_service_id: string | null
  /** The payment service of the first attempt, from the journal; null: there was none. */
  firstServiceId: string | null
  /** The payment service of the first authorization or sale. */
  firstMoneyServiceId: string | null
  attempt_status: string | null
  /** Its amount or metadata was corrected later. */
  corrected: boolean
}

/** The number of transactions in a page: deciding them takes some 10 ms, in which the next page is read. */
const PAGE = 1_000

/**
 * A page of an account's transactions, with the operations that show how they began. It returns arrays, since
 * the driver takes longer to read a million rows of two dozen columns than the rules take to decide; and the
 * operations apart, since a subquery for each transaction takes twice as long. The page is cut before the
 * filter, so that each statement does equal work. Renewals of authorizations were never routed and are left
 * out.
 */
const selectPage = namedStatement(
  ['account', 'createdBefore', 'idBefore', 'from'],
  (p) => `
with page as materialized (
  select id, created_at, amount, currency, country, method, payment_source, intent, merchant_initiated, is_subsequent_payment, metadata,
         payment_method->'bin' as bin, payment_method->'scheme' as scheme, payment_method->'card_type' as card_type, payment_method->'issuer_country' as issuer_country,
         buyer->'id' as buyer_id, buyer->'external_identifier' as buyer_external_identifier, error_code, eligible, actions, gift_cards, payment_service_id,
         details ? 'payment_service_id' as named, reauthorized_from_transaction_id
    from transactions
   where merchant_account_id = ${p.account}
     and (created_at, id) < (${p.createdBefore}::timestamptz, ${p.idBefore}::uuid)
     and created_at >= ${p.from}::timestamptz
   order by created_at desc, id desc
   limit ${PAGE}
)
select (select json_build_array(created_at, id) from page order by created_at, id limit 1) as last,
       (select count(*)::int from page) as read,
       coalesce((select json_agg(json_build_array(transaction_id, kind, status, payment_service_id, amount, input->'before' ?| array['amount', 'metadata']) order by id)
          from operations
         where merchant_account_id = ${p.account}
           and transaction_id = any(array(select id from page))
           and kind in ('approval', 'authorize', 'sale', 'correction')), '[]') as operations,
       coalesce((select json_agg(json_build_array(
         id, created_at, amount, currency, country, method, payment_source, intent, merchant_initiated, is_subsequent_payment, metadata, bin, scheme, card_type,
         issuer_country, buyer_id, buyer_external_identifier, error_code, eligible,
         case when actions is not null then (
           select json_agg(json_build_array(a->'id', a->'rule_id', a #> '{outcome,result}', a #> '{outcome,skipped}') order by n)
             from jsonb_array_elements(actions) with ordinality x(a, n)) end,
         named, payment_service_id,
         case when gift_cards is not null then (select sum((r->>'amount')::bigint) from jsonb_array_elements(gift_cards->'redemptions') r) end
       ) order by created_at desc, id desc) from page where reauthorized_from_transaction_id is null), '[]') as payments`,
)

const countTransactions = namedStatement(
  ['account', 'from', 'to', 'most'],
  (p) => `
select count(*)::int as number
  from (
    select
      from transactions
     where merchant_account_id = ${p.account}
       and created_at between ${p.from}::timestamptz and ${p.to}::timestamptz
     limit ${p.most}
  ) as counted`,
)

type Columns = [
  id: string,
  created_at: string,
  amount: number,
  currency: string,
  country: string | null,
  method: string | null,
  payment_source: string,
  intent: string,
  merchant_initiated: boolean,
  is_subsequent_payment: boolean,
  metadata: Record<string, string> | null,
  bin: string | null,
  scheme: string | null,
  card_type: string | null,
  issuer_country: string | null,
  buyer_id: string | null,
  buyer_external_identifier: string | null,
  error_code: string | null,
  eligible: string[] | null,
  actions: [FlowAction, string, RecordedAction['result'], RecordedAction['skipped']][] | null,
  named: boolean,
  payment_service_id: string | null,
  gift_cards: number | null,
]

type Operation = [
  transaction: string,
  kind: string,
  status: string,
  paymentService: string | null,
  amount: number,
  corrects: boolean | null,
]

interface Page {
  /** Null: there are no more pages. */
  last: [string, string] | null
  read: number
  operations: Operation[]
  payments: Columns[]
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The number of transactions in a window, counted up to `most`. */
export async function countPayments(
  world: World,
  { account, from, to }: ReplayWindow,
  most: number,
): Promise<number> {
  const [row] = await countTransactions.run<{ number: number }>(world, { account, from, to, most })
  return row?.number ?? 0
}

/**
 * Yields the payments of a window in pages, newest first. The next page is read while the caller works on
 * one.
 */
export async function* pagesOf(
  world: World,
  { account, from, to }: ReplayWindow,
): AsyncGenerator<RecordedPayment[], void> {
  const readAfter = async ([createdBefore, idBefore]: [string, string]) => {
    const [row] = await selectPage.run<Page & Record<string, unknown>>(world, {
      account,
      createdBefore,
      idBefore,
      from,
    })
    return row
  }
  let reading = readAfter([to, LAST_ID])
  for (;;) {
    const found = await reading
    if (!found?.last) return
    reading = found.read < PAGE ? Promise.resolve(undefined) : readAfter(found.last)
    // a caller that stops early does not wait for the next page
    reading.catch(() => undefined)
    const operations = Map.groupBy(found.operations, ([transaction]) => transaction)
    yield found.payments.map((columns) => recorded(columns, operations.get(columns[0]) ?? []))
  }
}

const recorded = (columns: Columns, operations: readonly Operation[]): RecordedPayment => {
  const [
    id,
    created_at,
    amount,
    currency,
    country,
    method,
    payment_source,
    intent,
    merchant_initiated,
    is_subsequent_payment,
    metadata,
    ...more
  ] = columns
  const [
    bin,
    scheme,
    card_type,
    issuer_country,
    buyer_id,
    buyer_external_identifier,
    error_code,
    eligible,
    actions,
    named,
    ...last
  ] = more
  const [payment_service_id, gift_cards] = last
  // operations are in the order of their ids, which sort by time
  const first = operations.find(([, kind]) => kind !== 'correction')
  const attempt = operations.find(([, kind]) => kind === 'authorize' || kind === 'sale')
  return {
    id,
    created_at,
    // the first operation has the amount without later increments
    amount: first ? first[4] + (gift_cards ?? 0) : amount,
    currency,
    country,
    method,
    payment_source,
    intent,
    merchant_initiated,
    is_subsequent_payment,
    metadata,
    payment_method: { bin, scheme, card_type, issuer_country },
    buyer: { id: buyer_id, external_identifier: buyer_external_identifier },
    error_code,
    eligible,
    actions:
      actions?.map(([action, rule_id, result, skipped]) => ({ id: action, rule_id, result, skipped })) ??
      null,
    namesService: named,
    payment_service_id,
    firstServiceId: first?.[3] ?? null,
    firstMoneyServiceId: attempt?.[3] ?? null,
    attempt_status: attempt?.[2] ?? null,
    corrected: operations.some(([, , , , , corrects]) => corrects === true),
  }
}

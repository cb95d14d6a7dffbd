import { deliveryBody } from '../../events/delivery-body.ts'
import type { EventRow } from '../../events/event.row.ts'
import type { OrderDelivery, ReadOrderDeliveries } from '../../events/order-delivery.ts'
import type { World } from '../../world.ts'
import type { AgenticCheckoutRow } from '../checkouts/checkout.store.ts'
import { type OrderPayment, showOrder } from './order.ts'

/** A payment, its refunds and its disputes. `t`: the transaction. */
const orderPayment = (t: string) => `json_build_object(
         'status', ${t}.status,
         'pending_review', ${t}.pending_review,
         'captured_amount', ${t}.captured_amount,
         'refunded_amount', ${t}.refunded_amount,
         'refunds', (
           select coalesce(json_agg(json_build_object(
                    'id', o.id, 'amount', o.amount, 'currency', o.currency, 'status', o.status, 'at', o.created_at)
                    order by o.created_at, o.id), '[]')
             from operations o
            where o.merchant_account_id = ${t}.merchant_account_id
              and o.transaction_id = ${t}.id
              and o.kind = 'refund'),
         'disputes', (
           select coalesce(json_agg(json_build_object(
                    'id', d.id, 'amount', d.amount, 'currency', d.currency, 'status', d.status, 'at', d.opened_at)
                    order by d.opened_at, d.id), '[]')
             from disputes d
            where d.merchant_account_id = ${t}.merchant_account_id
              and d.transaction_id = ${t}.id
              and d.is_chargeback))`

const selectOrderPayment = `
select ${orderPayment('t')} as payment
  from transactions t
 where merchant_account_id = $1
   and id = $2`

/** The payment of an order as it is now. Undefined: it is not kept any more (`RETENTION_MONTHS`). */
export async function readOrderPayment(
  { run }: Pick<World, 'run'>,
  account: string,
  transaction: string,
): Promise<OrderPayment | undefined> {
  const [row] = await run<{ payment: OrderPayment }>(selectOrderPayment, [account, transaction])
  return row?.payment
}

/**
 * After which events of a payment its order is another one. The event of a refund or a capture is about the
 * operation.
 */
const orderEvents: ReadonlySet<string> = new Set([
  'transaction.authorized',
  'transaction.captured',
  'transaction.voided',
  'transaction.review-accepted',
  'transaction.failed',
  'transaction.disputed',
  'transaction.dispute-won',
  'transaction.dispute-lost',
  'refund.pending',
  'refund.succeeded',
  'refund.declined',
  'refund.failed',
])

/**
 * The orders of these events. An order is new with the first success of its payment: the authorization, or a
 * sale, which has none before it.
 */
const selectOrders = `
select e.id as event,
       c.id,
       c.price,
       c."order",
       t.id as transaction,
       ${orderPayment('t')} as payment,
       e.name = 'transaction.authorized'
         or (e.name = 'transaction.captured'
             and not exists (select from operations o
                              where o.merchant_account_id = t.merchant_account_id
                                and o.transaction_id = t.id
                                and o.kind = 'authorize'
                                and o.status = 'approved')) as "isNew"
  from jsonb_to_recordset($1::jsonb) e (account text, id uuid, name text, target uuid)
  left join operations about on about.merchant_account_id = e.account and about.id = e.target
  join agentic_checkouts c
    on c.merchant_account_id = e.account
   and c.transaction_id = coalesce(about.transaction_id, e.target)
   and c.status = 'completed'
  join transactions t on t.merchant_account_id = c.merchant_account_id and t.id = c.transaction_id`

/** Which payments have a delivery of their order that waits. Deliveries are not with the payments on Citus. */
const selectBlocked = `
select distinct target_id as transaction
  from webhook_deliveries
 where webhook_subscription_id = $1
   and status = 'waiting'
   and target_id = any($2::uuid[])`

type OrderRow = Pick<AgenticCheckoutRow, 'id' | 'price' | 'order'> & {
  event: string
  transaction: string
  payment: OrderPayment
  isNew: boolean
}

/** What a platform is sent for these events; events without an order are left out. */
export const readOrderDeliveries: ReadOrderDeliveries = async ({ run }, subscription, events) => {
  const concerned = events.filter(({ name }) => orderEvents.has(name))
  if (concerned.length === 0) return new Map()
  const rows = await run<OrderRow & Record<string, unknown>>(selectOrders, [
    JSON.stringify(concerned.map(keyOf)),
  ])
  const transactions = rows.map(({ transaction }) => transaction)
  const blocked = await run<{ transaction: string }>(selectBlocked, [subscription, transactions])
  const isBlocked = new Set(blocked.map(({ transaction }) => transaction))
  return new Map(rows.map((row) => [row.event, toDelivery(row, isBlocked.has(row.transaction))]))
}

const keyOf = ({ merchant_account_id: account, id, name, target_id: target }: EventRow) => ({
  account,
  id,
  name,
  target,
})

const toDelivery = (
  { transaction, payment, isNew, ...checkout }: OrderRow,
  isBlocked: boolean,
): OrderDelivery => ({
  target: transaction,
  isBlocked,
  body: deliveryBody(() => ({
    type: isNew ? 'order_create' : 'order_update',
    data: showOrder(checkout, payment),
  })),
})

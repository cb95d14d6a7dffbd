import { queryOn } from '../postgres.ts'

/** What a captured payment's event says. */
const target = {
  type: 'transaction',
  id: '018f0000-0000-7000-8000-000000000001',
  status: 'capture_succeeded',
  payment_method: { type: 'payment-method', method: 'card', label: '1111', scheme: 'visa' },
  external_identifier: 'order-1234',
  amount: 12_999,
  currency: 'USD',
  authorized_amount: 12_999,
  captured_amount: 12_999,
  refunded_amount: 0,
  payment_service_transaction_id: 'pay_0123456789abcdef0123456789abcdef',
  has_gift_card_redemptions: false,
  pending_review: false,
  metadata: { cart: '5d41402abc4b2a76b9719d911017c592', channel: 'web' },
  created_at: '2026-06-01T12:00:00.000Z',
  updated_at: '2026-06-01T12:00:01.000Z',
}

/** An event's JSON, as it is sent. */
export const exampleBody = JSON.stringify({
  type: 'event',
  id: target.id,
  name: 'transaction.captured',
  merchant_account_id: 'default',
  svc_id: 'railyard',
  environment: 'sandbox',
  created_at: target.updated_at,
  sequence: 3,
  target,
})

/**
 * Three events each for a third as many payments, committed at once. Their payments do not
 * exist: delivery does not read them.
 */
const insert = (count: number, mark: string) => `
insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
select 'default', gen_random_uuid(), 'transaction.captured', payment, n % 3 + 1,
       jsonb_set('${JSON.stringify(target)}', '{id}', to_jsonb(payment))::json, now()
  from generate_series(0, ${count} - 1) n, lateral (select md5('${mark}' || n / 3)::uuid as payment) as of_payment`

export async function fillEvents(url: string, count: number, mark: string): Promise<void> {
  await queryOn(url, insert(count, mark))
}

/** Deliveries that are written as succeeded. */
export async function countDelivered(url: string): Promise<number> {
  const [row] = await queryOn<{ count: number }>(
    url,
    `select count(*)::int as count from webhook_deliveries where status = 'succeeded'`,
  )
  return row?.count ?? 0
}

/** When each event of a name was committed, in milliseconds since 1970; needs `track_commit_timestamp`. */
export async function commitsOf(url: string, name: string): Promise<Map<string, number>> {
  const sql = `select id, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at from events where name = '${name}'`
  return new Map((await queryOn<{ id: string; at: number }>(url, sql)).map(({ id, at }) => [id, at]))
}

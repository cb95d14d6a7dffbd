import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { isoOf } from './columns/column.store.ts'
import { HOUR_MS } from './columns/packed-hour.ts'
import { type DimensionName, dimensionNames } from './dimension.ts'
import { tallyFromRows } from './tally.fixture.ts'
import { type Filter, type Tally, type TallyQuery, tally } from './tally.ts'

const railyard = await startRailyardForFile()

const START = Date.parse('2026-03-01T00:00:00Z')
const HOURS = 80

/** The values that a change gives to a payment. */
const arbitraryState = fc.record({
  status: fc.constantFrom(
    'processing',
    'buyer_approval_pending',
    'authorization_succeeded',
    'authorization_failed',
    'authorization_voided',
    'capture_pending',
    'capture_succeeded',
  ),
  authorized: fc.nat(99_999),
  currency: fc.constantFrom('USD', 'EUR'),
  country: fc.constantFrom(null, 'DE', 'FR'),
  method: fc.constantFrom(null, 'card', 'wallet'),
  bin: fc.constantFrom(null, '411111', '555555'),
  scheme: fc.constantFrom(null, 'visa', 'mastercard'),
  code: fc.constantFrom(null, 'insufficient_funds', 'cancelled_buyer_approval', 'flow_decline'),
  raw: fc.constantFrom(null, '51', '05'),
  eci: fc.constantFrom(null, '5', '07'),
  authenticated: fc.boolean(),
  rules: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  metadata: fc.option(
    fc.dictionary(
      fc.constantFrom('shop', '__proto__', 'a "quote"', 'é\u2028'),
      fc.constantFrom('1', '\\"', '😀\n'),
      { maxKeys: 3 },
    ),
  ),
})
type PaymentState = typeof arbitraryState extends fc.Arbitrary<infer T> ? T : never

const columns = (state: PaymentState) => sql`
  status = ${state.status}, authorized_amount = ${state.authorized}, currency = ${state.currency}, country = ${state.country}, method = ${state.method},
  payment_method = ${JSON.stringify({ bin: state.bin, scheme: state.scheme })}::jsonb, error_code = ${state.code},
  facts = ${JSON.stringify({ raw_response_code: state.raw })}::jsonb, metadata = ${state.metadata && jsonOf(state.metadata)}::jsonb,
  three_d_secure = ${state.authenticated ? JSON.stringify({ status: 'complete', response_data: state.eci && { eci: state.eci } }) : null}::jsonb,
  actions = ${JSON.stringify(state.rules.map((rule) => ({ id: 'route-transaction', rule_id: rule, outcome: { split: { variant: 1 } } })))}::jsonb`

/** JSON with all own keys, also `__proto__`. */
const jsonOf = (map: Record<string, string>) =>
  `{${Object.entries(map).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`

const valuesOf: Partial<Record<DimensionName, (string | null)[]>> = {
  authorized: ['0', '1'],
  country: ['DE', null, 'nobody’s'],
  currency: ['USD'],
  liability_shifted: ['1', '0', null],
  metadata: ['{"shop": "1"}', '{"__proto__": "\\\\\\""}', '{"é\u2028": "😀\\n"}', null],
  payment_method_bin: ['411111', null],
  payment_method_scheme: ['visa', 'mastercard'],
  raw_response_code: ['51', null],
  rule_id_route_transaction: ['a', null],
  rule_variant_id: ['b/1'],
  three_d_secure_eci: ['05', '07'],
}
const filter: fc.Arbitrary<Filter> = fc
  .constantFrom(...dimensionNames.filter((name) => name in valuesOf))
  .chain((name) =>
    fc.record({
      name: fc.constant(name),
      values: fc.uniqueArray(fc.constantFrom(...(valuesOf[name] ?? [])), { minLength: 1 }),
    }),
  )

const ms = fc.integer({ min: START - HOUR_MS, max: START + (HOURS + 1) * HOUR_MS })
const question = fc
  .record({
    population: fc.constantFrom('authorization', 'authentication', 'monitoring'),
    ends: fc.tuple(ms, ms, fc.boolean()),
    filters: fc.array(filter, { maxLength: 3 }),
    shape: fc.oneof(
      fc.constantFrom(...dimensionNames).map((by) => ({ by })),
      fc.constantFrom(HOUR_MS, 24 * HOUR_MS).map((bucket) => ({ bucket })),
    ),
  })
  .map(({ ends: [one, other, isWhole], shape, ...rest }): Omit<TallyQuery, 'account'> => {
    const at = (time: number) => (isWhole ? Math.floor(time / HOUR_MS) * HOUR_MS : time)
    const from = at(Math.min(one, other))
    return {
      ...rest,
      ...shape,
      span: { from, to: Math.max(at(Math.max(one, other)), from + 1) },
      withVolume: true,
    }
  })

const linesOf = (answer: Tally) =>
  [...answer].map(([key, sum]) => JSON.stringify([key, sum.transactions, sum.authorized, sum.volume])).sort()

/**
 * The steps of a run: a payment is created or changed, time passes, the columns are updated, or a query is
 * compared.
 */
const step = fc.oneof(
  {
    arbitrary: fc.record({
      payment: fc.nat(60),
      state: arbitraryState,
      late: fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }),
    }),
    weight: 12,
  },
  { arbitrary: fc.record({ passes: fc.integer({ min: 0, max: 100_000 }) }), weight: 2 },
  { arbitrary: fc.constant('update' as const), weight: 2 },
  { arbitrary: fc.record({ question }), weight: 6 },
)

test('the explorer’s answer is that of the payments’ rows after any changes, whenever the columns are updated', async () => {
  const { db } = railyard.world
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: START, max: START + HOURS * HOUR_MS - 1 }), {
        minLength: 61,
        maxLength: 61,
      }),
      fc.array(step, { minLength: 20, maxLength: 60 }),
      async (createdAt, steps) => {
        const account = `m-${randomUUID()}`
        await railyard.admin.post('/merchant-accounts', { id: account, display_name: 'Random' })
        const ids = createdAt.map(() => randomUUID())
        for (const each of steps) {
          if (each === 'update') await railyard.insights.runOnce()
          else if ('passes' in each) railyard.clock.advance(each.passes)
          else if ('question' in each) {
            const query = { account, ...each.question }
            expect({ query, answer: linesOf(await tally({ db }, query)) }).toEqual({
              query,
              answer: linesOf(await tallyFromRows(db, query)),
            })
          } else
            await writePayment(
              account,
              ids[each.payment] ?? '',
              createdAt[each.payment] ?? 0,
              each.state,
              railyard.clock.now() - each.late,
            )
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  )
})

/**
 * Creates or changes a payment, with its event in the same commit. `at`: the time of the change by a process
 * whose clock may be wrong.
 */
async function writePayment(
  account: string,
  id: string,
  created: number,
  state: PaymentState,
  at: number,
): Promise<void> {
  const { db } = railyard.world
  await sql`
    insert into transactions (merchant_account_id, id, status, intent, intent_outcome, currency, amount, authorized_amount, captured_amount, refunded_amount, capture_reserved,
      refund_reserved, over_capture_allowance, capture_closed, facts, details, payment_source, merchant_initiated, is_subsequent_payment, pending_review, disputed, settled,
      settled_amount, created_at, updated_at)
    values (${account}, ${id}, 'processing', 'authorize', 'pending', 'USD', 0, 0, 0, 0, 0, 0, 0, false, '{}', '{}', 'ecommerce', false, true, false, false, false, 0,
      ${isoOf(created)}, ${isoOf(at)}) on conflict do nothing`.execute(db)
  await sql`
    with changed as (
      update transactions set ${columns(state)}, updated_at = ${isoOf(at)} where merchant_account_id = ${account} and id = ${id} returning id)
    insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
    select ${account}, gen_random_uuid(), 'transaction.modified', id, 1, '{}', ${isoOf(at)} from changed`.execute(
    db,
  )
}

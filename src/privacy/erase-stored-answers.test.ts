import { expect, test } from 'vitest'
import { ADA, billing_details } from '../../test/support/domains/erasure.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { eraseAnswersOfTime } from './erase-stored-answers.ts'

const { railyard, shop } = await startShop()
const { run, db } = railyard.world

test('the answers of all requests of a time are erased, in batches, and those of other times stay', async () => {
  const paid = await shop.pay(10_00, { buyer: { billing_details } }, { 'idempotency-key': 'k' })
  const created = Date.parse(paid.body.created_at)
  // two keys in each minute before
  await run(
    `insert into idempotency_keys
     select merchant_account_id, scope, key || n, fingerprint, resource_id, representation, answer,
            created_at - n / 2 * interval '1 minute', canonical_fingerprint
       from idempotency_keys, generate_series(2, 1301) n
      where merchant_account_id = $1`,
    [shop.account],
  )
  const minutesBefore = (minutes: number) => new Date(created - minutes * 60_000).toISOString()
  await eraseAnswersOfTime(db, minutesBefore(640), minutesBefore(10))
  const left = await run<{ minutes: number }>(
    `select (extract(epoch from $2::timestamptz - created_at) / 60)::int as minutes
       from idempotency_keys
      where merchant_account_id = $1
        and position($3 in answer::text) > 0
      group by 1
      order by 1`,
    [shop.account, paid.body.created_at, ADA],
  )
  const expected = [...Array(11).keys(), ...Array.from({ length: 10 }, (_, index) => 641 + index)]
  expect(left.map(({ minutes }) => minutes)).toEqual(expected)
})

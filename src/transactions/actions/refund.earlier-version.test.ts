import { expect, test } from 'vitest'
import { invalidFields } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

test('a chargeback that a process of the previous version booked counts as well', async () => {
  const [payment, uncounted] = [await shop.sold(100_00), await shop.sold(100_00)]
  const dispute = ({ id }: typeof payment, amount: number) =>
    shop.post(`/sandbox/transactions/${id}/simulate`, { event: 'disputed', amount })
  expect(await dispute(payment, 60_00)).toMatchObject({ status: 200 })
  // the previous version books such a line in one statement, without a disputed amount
  await railyard.world.run(
    `with booked as (
       insert into settlements
       select row.* from settlements s, jsonb_populate_record(null::settlements,
              to_jsonb(s) || jsonb_build_object('id', gen_random_uuid(), 'line_key', gen_random_uuid(), 'transaction_id', $2::uuid)) row
        where s.transaction_id = $1::uuid)
     update transactions t set disputed = t.disputed or true where t.id = $2::uuid`,
    [payment.id, uncounted.id],
  )
  expect(await uncounted.refund({ amount: 40_01 })).toMatchObject(invalidFields('/amount'))
  expect(await dispute(uncounted, 20_00)).toMatchObject({ status: 200, body: { disputed_amount: 80_00 } })
})

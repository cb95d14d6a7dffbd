import { expect, test } from 'vitest'
import { openCheckoutShopForFile } from './checkout/shop.ts'

const { shop: checkout } = await openCheckoutShopForFile()

const MINUTE_MS = 60_000

/** The statement with which processes before migration 086 commit a mark. */
const commitOfEarlierVersion = `
update operations
   set payment_service_transaction_id = $2
 where id = $1
   and status in ('sent', 'unknown')
returning 1 as one`

const selectOperations = `
select id, mark, payment_service_transaction_id as reference
  from operations
 where transaction_id = $1 and kind = $2`

interface Noted {
  id: string
  mark: string | null
  reference: string | null
}

test.each([
  ['refund', 'absent-since-0'],
  ['refund', 'the-capture-that-it-refunds'],
  ['capture', 'absent-since-0'],
] as const)(
  'a %s that a process of an earlier version began, with the mark %s, does not change the payment’s id',
  async (kind, mark) => {
    const { railyard, shop } = checkout
    const { run } = railyard.world
    const payment =
      kind === 'refund' ? await shop.authorized(10_00, { intent: 'capture' }) : await shop.authorized(10_00)
    const { payment_service_transaction_id: reference } = await payment.read()
    checkout.loseNext()
    const path = `/transactions/${payment.id}/${kind === 'refund' ? 'refunds' : 'capture'}`
    await shop.post(path, { amount: 4_00 })
    const [operation] = await run<Noted>(selectOperations, [payment.id, kind])
    expect(await run(commitOfEarlierVersion, [operation?.id, mark])).toHaveLength(1)
    expect(await run(selectOperations, [payment.id, kind])).toEqual([
      { id: operation?.id, mark, reference: null },
    ])
    for (let round = 0; round < 5; round += 1) {
      checkout.advance(3 * MINUTE_MS)
      await checkout.settle()
    }
    expect(await payment.read()).toMatchObject({
      payment_service_transaction_id: reference,
      [kind === 'refund' ? 'refunded_amount' : 'captured_amount']: 4_00,
    })
  },
)

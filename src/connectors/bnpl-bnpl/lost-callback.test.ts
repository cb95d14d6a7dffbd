import { expect, test } from 'vitest'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'

const UNREACHABLE = 'http://127.0.0.1:9'

test('recovery completes the payment of a buyer who never returns, even if the provider cannot reach Railyard', async () => {
  const railyard = await startTestRailyard({ PUBLIC_URL: UNREACHABLE })
  try {
    const shop = await openBnplShop(railyard)
    const { body } = await shop.buy(31_00)
    await shop.decide(body.payment_method.approval_url, 'approve')
    await railyard.recovery.runOnce()
    expect((await shop.payment(body.id).read()).status).toBe('buyer_approval_pending')
    railyard.clock.advance(11 * 60_000)
    await railyard.recovery.runOnce()
    await railyard.recovery.runOnce()
    expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded')
    await expectBooksMatch(railyard, shop.account)
  } finally {
    await railyard.close()
  }
})

test('a sync finds an approval without a notification', async () => {
  const railyard = await startTestRailyard({ PUBLIC_URL: UNREACHABLE })
  try {
    const shop = await openBnplShop(railyard)
    const { body } = await shop.buy(31_00)
    await shop.decide(body.payment_method.approval_url, 'approve')
    expect(await shop.payment(body.id).sync()).toMatchObject({
      status: 200,
      body: { status: 'authorization_succeeded' },
    })
    await expectBooksMatch(railyard, shop.account)
  } finally {
    await railyard.close()
  }
})

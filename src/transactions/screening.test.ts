import { expect, it } from 'vitest'
import { addAntiFraudService, buyerWhoIs } from '../../test/anti-fraud.ts'
import { startTestRailyard } from '../../test/railyard.ts'
import { openShop } from '../../test/shop.ts'

it('smoke', async () => {
  const railyard = await startTestRailyard()
  const shop = await openShop(railyard)
  const fraud = await addAntiFraudService(railyard, shop)
  for (const verdict of ['accept', 'reject', 'review', 'error', 'unavailable']) {
    const { body } = await shop.pay(1200, { intent: 'capture', buyer: buyerWhoIs(verdict) })
    console.log(verdict, body.status, body.error_code, body.anti_fraud_decision, body.pending_review, body.intent_outcome)
    console.log(await shop.payment(body.id).story())
    if (verdict === 'review') {
      console.log((await shop.payment(body.id).capture()).body.message)
      console.log((await fraud.decides(body.id, 'ACCEPT')).status, (await shop.payment(body.id).read()).status)
    }
  }
})

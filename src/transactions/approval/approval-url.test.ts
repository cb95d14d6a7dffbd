import { expect, test } from 'vitest'
import { addPageProvider, pageProvider } from '../../../test/support/domains/page-provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openShop(railyard)
const provider = pageProvider('hostile-page')
const service = await addPageProvider(railyard, shop.account, provider)

test.each(['javascript:alert(1)', 'data:text/html,<script>alert(1)</script>', 'page', '//page.example'])(
  'no browser is sent to the approval page %s of a payment service',
  async (url) => {
    const { authorize } = provider.connector.operations
    if (!authorize) throw new Error('the provider authorizes nothing')
    provider.connector.operations = {
      ...provider.connector.operations,
      async authorize(call) {
        const outcome = await authorize(call)
        return outcome.status === 'pending' ? { ...outcome, approval: { url, sessionData: null } } : outcome
      },
    }
    const { body } = await shop.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      country: 'DE',
      payment_method: {
        method: 'provider-token',
        payment_service_id: service,
        token: 'tok',
        redirect_url: 'https://shop.example/back',
      },
    })
    expect(body).toMatchObject({ status: 'processing', payment_method: { approval_url: null } })
  },
)

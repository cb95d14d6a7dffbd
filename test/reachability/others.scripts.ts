import { movedClocks } from '../../src/accounts/merchant-accounts/account-clock.store.ts'
import { runInAccountTime } from '../../src/base/account-clock.ts'
import { takeSamples } from '../../src/monitoring/sampling.ts'
import { runDueErasures } from '../../src/privacy/run-erasures.ts'
import { beginJob, claimJob } from '../../src/reports/executions/job.store.ts'
import { softwareAuthenticator } from '../support/authenticator.ts'
import { requiredHeaders } from '../support/checks/required-headers.ts'
import { cartOf, openAgentPlatform, pricingUrl } from '../support/domains/agentic-commerce.ts'
import { decides, proposed } from '../support/domains/approvals.ts'
import { delegationOf } from '../support/domains/delegated-payments.ts'
import { authRateMetric, watch } from '../support/domains/monitoring.ts'
import { storeCard } from '../support/domains/network-tokens.ts'
import { transactionsReport } from '../support/domains/reports.ts'
import { scenario } from '../support/domains/secure-shop.ts'
import {
  addApp,
  anonymously,
  invite,
  PASSWORD,
  person,
  personOf,
  roleIds,
  signIn,
  tokenOf,
  totpCode,
} from '../support/people.ts'
import { injectFaults, recoverFully } from '../support/provider.ts'
import { card, mockCardService } from '../support/railyard.ts'
import { startReceiver } from '../support/receiver.ts'
import type { Merchants } from './merchants.ts'

type Script = (town: Merchants) => Promise<unknown>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Everything else that has a status or is an operation of its own. */
export const otherScripts: Record<string, Script> = {
  'payment links': async ({ railyard, shop, simulate }) => {
    const send = async (amount: number) => {
      const { id, url } = (await shop.post('/payment-links', { amount, country: 'DE', currency: 'EUR' })).body
      return { at: `/payment-links/${id}`, page: new URL(url).pathname, id }
    }
    const ask = (method: string, path: string, body: object) =>
      railyard.send(method, path, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const pays = async (page: string) => {
      const session = (await ask('POST', `${page}/sessions`, {})).body
      await ask('PUT', `/checkout/sessions/${session.id}/fields`, { payment_method: card })
      await ask('POST', `${page}/payments`, { checkout_session_id: session.id, proof: session.proof })
    }
    const [paid, underWay] = [await send(12_99), await send(540_001)]
    await pays(paid.page)
    await shop.get(paid.at)
    await pays(underWay.page)
    await shop.get(underWay.at)
    const [payment] = (await shop.get(`/transactions?payment_link_id=${underWay.id}`)).body.items
    await simulate(payment, 'declined')
    await shop.get(underWay.at)
    await shop.post(`${underWay.at}/expire`)
    await shop.get(underWay.at)
  },
  'a delegated payment': async ({ railyard, shop }) => {
    const at = '/agentic_commerce/delegate_payment'
    const { id } = (
      await shop.post(at, delegationOf(shop.account, railyard.clock.now()), requiredHeaders(at))
    ).body
    await shop.post('/transactions', {
      amount: 20_00,
      currency: 'EUR',
      payment_method: { method: 'delegated-payment', token: id, checkout_session_id: 'csn_1' },
    })
  },
  'checkouts of an AI agent’s platform': async ({ railyard, shop, secure, careful, simulate }) => {
    const pricing_url = await pricingUrl()
    for (const seller of [shop, secure, careful]) {
      await seller.put('/agentic-seller', { pricing_url })
      await seller.get('/agentic-seller')
    }
    const cart = (quantity: number, more: object = {}) =>
      cartOf({ line_items: [{ id: 'mug', quantity }], ...more })
    const platform = openAgentPlatform(railyard, shop)
    const sold = await platform.created(cart(3_000, { fulfillment_details: undefined }))
    const { fulfillment_details } = cart(1) as { fulfillment_details: object }
    await platform.update(sold, { fulfillment_details })
    await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
    await platform.complete(sold, await platform.tokenFor(sold))
    await platform.read(sold)
    await recoverFully(railyard)
    // what was lost came to nothing, or the same token has completed it
    await platform.complete(sold, await platform.tokenFor(sold))
    const paymentOf = async (checkout: string, seller = shop) =>
      (await seller.get(`/transactions?external_identifier=order-${checkout}`)).body.items[0]
    const { id } = await paymentOf(sold)
    for (const amount of [1_00, 520_001, 520_002, 520_005]) await shop.payment(id).refund({ amount })
    await platform.read(sold)
    const returned = await platform.created(cart(4))
    await platform.complete(returned, await platform.tokenFor(returned))
    await shop.payment((await paymentOf(returned)).id).refundAll()
    await platform.read(returned)
    const left = await platform.created(cart(1))
    await platform.cancel(left)
    const held = openAgentPlatform(railyard, careful)
    const suspicious = await held.created(cart(2, { buyer: { email: 'review@example.com' } }))
    const { address } = fulfillment_details as { address: object }
    await held.complete(suspicious, await held.tokenFor(suspicious), {
      payment_data: {
        handler_id: 'card',
        instrument: {
          type: 'card',
          credential: { type: 'vault_token', token: await held.tokenFor(suspicious) },
        },
        billing_address: address,
      },
    })
    const challenged = openAgentPlatform(railyard, secure)
    await scenario(railyard, secure, 60_00, 'C', 'N')
    const asked = await challenged.created(cart(7))
    await challenged.complete(asked, await challenged.tokenFor(asked))
    await challenged.read(asked)
    await simulate(await paymentOf(asked, secure), 'expired', {}, secure)
    const forgotten = await platform.created(cart(1))
    railyard.clock.advance(DAY_MS)
    await platform.read(forgotten)
  },
  'a stored card and its network token': async ({ railyard, shop, simulate }) => {
    const method = await storeCard(shop)
    const payment = (await shop.pay(1_00, { payment_method: { method: 'id', id: method } })).body
    const at = `/payment-methods/${method}`
    await shop.get(at)
    for (const event of [
      'card_updated',
      'method_paused',
      'method_authorization_update_required',
      'method_authorization_updated',
    ])
      await simulate(payment, event)
    await shop.get(at)
    for (const event of ['method_resumed', 'method_authorization_expiring']) await simulate(payment, event)
    const token = await shop.post(`${at}/network-tokens`, {
      merchant_initiated: false,
      is_subsequent_payment: false,
    })
    await simulate(payment, 'token_suspended')
    await shop.get(`${at}/network-tokens`)
    // the scheme's answer is lost: until it is known, the token is out of use
    await injectFaults(railyard, { operation: 'network_token', kind: 'lost' })
    await shop.delete(`${at}/network-tokens/${token.body.id}`)
    await injectFaults(railyard)
    await shop.get(`${at}/network-tokens`)
  },
  'tokens of payment services': async ({ railyard, shop }) => {
    const keeper = (merchant: string) =>
      shop.post(
        '/payment-services',
        mockCardService({
          open_loop: false,
          payment_method_tokenization_enabled: true,
          fields: [{ key: 'merchant_id', value: merchant }],
        }),
      )
    const services = [await keeper('test'), await keeper('invalid'), await keeper('test')]
    const method = await storeCard(shop)
    for (const { body } of services) {
      if (body.id === services[2]?.body.id)
        await injectFaults(railyard, { payment_service_id: body.id, operation: 'tokenize', kind: 'lost' })
      await shop.post(`/payment-methods/${method}/payment-service-tokens`, {
        payment_service_id: body.id,
        redirect_url: 'https://shop.example',
      })
    }
    await shop.get(`/payment-methods/${method}/payment-service-tokens`)
    await injectFaults(railyard)
    for (const { body } of services) await shop.delete(`/payment-services/${body.id}`)
  },
  'a checkout session': async ({ shop }) => {
    const at = `/checkout/sessions/${(await shop.post('/checkout/sessions', {})).body.id}`
    await shop.get(at)
    await shop.get(`${at}/acquirer`)
  },
  'what a buyer has stored': async ({ shop }) => {
    const buyer = (await shop.post('/buyers', {})).body.id
    await storeCard(shop, { buyer_id: buyer })
    await shop.get(`/buyers/payment-methods?buyer_id=${buyer}`)
    await shop.get(`/buyers/gift-cards?buyer_id=${buyer}`)
  },
  'rules as a draft, live and retired': async ({ shop }) => {
    const at = '/flows/card-transaction'
    const condition = { field: 'metadata.reachable', operator: 'is', value: 'no' }
    const rules = (display_name: string) => ({
      items: [{ display_name, action: 'decline-early', condition }],
    })
    await shop.put(`${at}/rules`, rules('One'))
    await shop.post(`${at}/rules/publish`, {})
    await shop.put(`${at}/rules`, rules('Two'))
    await shop.get(`${at}/rules?state=draft`)
    await shop.get(`${at}/versions`)
    await shop.post(`${at}/rules/publish`, {})
    await shop.get(`${at}/rules`)
    await shop.get(`${at}/rules?version=1`)
    await shop.get(`${at}/versions`)
    await shop.put(`${at}/rules`, rules('Three'))
    for (const choice of [{ state: 'draft' }, { state: 'live' }, { version: 1 }])
      await shop.post(`${at}/rules/replay`, choice)
  },
  'a session of a payment service that fails': async ({ shop }) => {
    const { body } = await shop.post(
      '/payment-services',
      mockCardService({ fields: [{ key: 'merchant_id', value: 'invalid' }] }),
    )
    await shop.post(`/payment-services/${body.id}/sessions`, {})
    await shop.delete(`/payment-services/${body.id}`)
  },
  'a payment in the merchant’s own page': async ({ later, wallet, simulate }) => {
    const { body } = await later.buy(10_00, { integration_client: 'web' })
    await later.get(`/transactions/${body.id}/session?token=${body.session_token}`)
    await later.post(`/transactions/${body.id}/session?token=${body.session_token}`, {})
    await simulate(body, 'approved', {}, later)
    await later.get(`/transactions/${body.id}/complete`)
    await later.post(`/transactions/${body.id}/complete`)
    return wallet.get('/payment-services')
  },
  people: async ({ railyard }) => {
    const invited = await invite(railyard)
    await anonymously(railyard, 'POST', '/invitations/accept', {
      token: tokenOf(invited),
      password: PASSWORD,
    })
    const ada = await person(railyard)
    await ada.get('/sessions/current')
    await ada.get('/users/me')
    await ada.send('PUT', '/users/me', { name: 'Ada' })
    const secret = await addApp(railyard, ada)
    await ada.send('DELETE', '/users/me/totp', { code: totpCode(railyard, secret) })
    const again = personOf(railyard, await signIn(railyard, ada.email))
    await again.send('DELETE', '/sessions/current')
  },
  'sessions and passkeys of a person': async ({ railyard }) => {
    const { world, url } = railyard
    // browsers make passkeys for host names only
    world.publicUrl = url.replace('127.0.0.1', 'localhost')
    const ada = await person(railyard)
    const other = personOf(railyard, await signIn(railyard, ada.email))
    const { items } = (await other.get('/users/me/sessions')).body
    const { id } = items.find(({ is_current }: { is_current: boolean }) => !is_current)
    await other.send('DELETE', `/users/me/sessions/${id}`)
    const authenticator = softwareAuthenticator(world.publicUrl)
    const { options } = (await other.send('POST', '/users/me/passkeys/options', { password: PASSWORD })).body
    const credential = authenticator.create(options)
    const passkey = (await other.send('POST', '/users/me/passkeys', { name: 'Laptop', credential })).body
    const asked = (await anonymously(railyard, 'POST', '/sessions/passkey/options', undefined)).body.options
    await anonymously(railyard, 'POST', '/sessions/passkey', { credential: authenticator.get(asked) })
    await other.get('/users/me/passkeys')
    await other.send('DELETE', `/users/me/passkeys/${passkey.id}`, { password: PASSWORD })
    world.publicUrl = url
  },
  'a person who has not signed in for years': async ({ railyard }) => {
    const { id } = await person(railyard)
    await railyard.world.db
      .updateTable('users')
      .set({ last_signed_in_at: '2001-01-01T00:00:00Z' })
      .where('id', '=', id)
      .execute()
    await railyard.admin.get(`/users/${id}`)
  },
  'a buyer and a payment that are erased': async ({ railyard, shop }) => {
    const buyer = (await shop.post('/buyers', {})).body.id
    const underWay = (await shop.pay(540_001)).body.id
    await shop.post(`/transactions/${underWay}/erase`)
    await shop.get(`/transactions/${underWay}/erasure`)
    await shop.post(`/buyers/${buyer}/erase`)
    // twice: a request that had read the buyer may be committed a while later
    for (let pass = 0; pass < 2; pass++) {
      await runDueErasures(railyard.world)
      railyard.clock.advance(2 * MINUTE_MS)
    }
    await runDueErasures(railyard.world)
    await shop.get(`/buyers/${buyer}/erasure`)
  },
  'a payment service that dies, and comes back': async ({ railyard, fragile }) => {
    const look = async () => {
      await railyard.health.runOnce()
      await fragile.get(`/payment-services/${fragile.paymentServiceId}/health`)
    }
    await injectFaults(railyard, {
      payment_service_id: fragile.paymentServiceId,
      operation: '*',
      kind: 'error',
    })
    for (let time = 0; time < 5; time++) await fragile.pay(10_00)
    await look()
    await injectFaults(railyard)
    railyard.clock.advance(16_000)
    for (let time = 0; time < 3; time++) {
      await fragile.pay(10_00)
      await look()
      railyard.clock.advance(1_000)
    }
    await railyard.recovery.runOnce()
  },
  'an incident': async ({ railyard, careful }) => {
    const metric = await watch(careful, authRateMetric())
    for (let time = 0; time < 3; time++) await careful.pay(200_011)
    for (let minute = 0; minute < 3; minute++) {
      railyard.clock.advance(MINUTE_MS)
      await takeSamples(railyard.world)
    }
    await careful.get(`/monitoring/metrics/${metric}/incidents`)
    await careful.put(
      `/monitoring/metrics/${metric}`,
      authRateMetric({ incident_policy: null, spec: undefined }),
    )
    await careful.get(`/monitoring/metrics/${metric}/incidents`)
  },
  'a report, and one that no process survives': async ({ railyard, shop }) => {
    await shop.post('/reports', transactionsReport())
    await railyard.reports.runOnce()
    await shop.post('/reports', transactionsReport())
    const look = () => shop.get('/report-executions')
    const inItsTime = async <T>(work: () => Promise<T>) =>
      runInAccountTime(await movedClocks(railyard.world), shop.account, work)
    // each process that takes it up dies
    for (let died = 0; died < 5; died++) {
      const job = await inItsTime(() => claimJob(railyard.world))
      await look()
      if (job) await inItsTime(() => beginJob(railyard.world, job))
      await look()
      railyard.clock.advance(2 * MINUTE_MS)
    }
    await railyard.reports.runOnce()
    await look()
  },
  'webhooks, one of which nobody takes for seven days': async ({ railyard, shop, recordEvent }) => {
    const [dead, alive] = [await startReceiver(), await startReceiver()]
    const subscribed = async (url: string) =>
      `/webhook-subscriptions/${(await shop.post('/webhook-subscriptions', { url })).body.id}`
    const [at, other] = [await subscribed(dead.url), await subscribed(alive.url)]
    await shop.post(`${other}/test`)
    // a test is in no feed
    for (const { event } of alive.received) recordEvent(event)
    dead.answers(500)
    const from = new Date(railyard.clock.now() - MINUTE_MS).toISOString()
    for (let day = 0; day <= 8; day++) {
      await shop.post('/buyers', {})
      await railyard.sender.runOnce()
      await shop.get(`${at}/deliveries`)
      railyard.clock.advance(DAY_MS)
    }
    await railyard.sender.runOnce()
    const { items } = (await shop.get(`${at}/deliveries`)).body
    await shop.get(`${other}/deliveries`)
    await shop.get(`${at}/deliveries/${items[0].id}`)
    await shop.put(at, { active: true })
    await shop.post(`${at}/deliveries/${items[0].id}/retry`)
    await shop.post(`${at}/replay`, { from, to: new Date(railyard.clock.now()).toISOString() })
    for (const receiver of [dead, alive]) await receiver.close()
  },
  'a certificate whose time is over': async ({ railyard, shop }) => {
    railyard.clock.advance(2 * DAY_MS)
    const { items } = (await shop.get('/digital-wallets')).body
    for (const { id } of items) await shop.get(`/digital-wallets/${id}/certificates`)
  },
  'proposals that come to every end': async ({ railyard, shop }) => {
    const boss = await person(railyard, { merchantAccounts: [shop.account] })
    const path = async (action = 'refunds') => `/transactions/${(await shop.sold(20_00)).id}/${action}`
    const look = ({ id }: { id: string }) => shop.get(`/proposals/${id}`)
    const decided = async (proposal: { id: string; hash: string }, decision?: 'approve' | 'reject') => {
      await decides(boss, shop, proposal, decision)
      await look(proposal)
    }
    await shop.get('/proposals')
    await decided(await proposed(shop, 'POST', await path(), { amount: 1_00 }))
    await decided(await proposed(shop, 'POST', await path(), { amount: 1_00 }), 'reject')
    await decided(await proposed(shop, 'POST', await path(), { amount: 21_00 }))
    const at = await path()
    const stale = await proposed(shop, 'POST', at, { amount: 1_00 })
    await shop.post(at, { amount: 1_00 })
    await decided(stale)
    const open = await proposed(shop, 'POST', await path(), { amount: 1_00 })
    await look(open)
    for (const status of ['approved', 'executing']) {
      await railyard.world.run(
        `update proposals set status = $2, due_at = now() + interval '1 day' where id = $1 returning id`,
        [open.id, status],
      )
      await look(open)
    }
    railyard.world.publicUrl = railyard.url.replace('127.0.0.1', 'localhost')
    const asked = await proposed(shop, 'POST', await path(), { amount: 1_00 })
    const headers = { 'x-svc-merchant-account-id': shop.account }
    await boss.send('POST', `/proposals/${asked.id}/passkey-options`, undefined, headers)
    const user = { email_address: 'proposed@example.com', name: 'New', role_ids: roleIds('analyst') }
    const owner = await person(railyard)
    const invited = await proposed(railyard.admin, 'POST', '/users', user)
    await decides(owner, railyard.admin, invited)
    await railyard.admin.post(`/proposals/${invited.id}/answer`)
    railyard.clock.advance(4 * DAY_MS)
    await railyard.proposals.runOnce()
    await look(asked)
  },
}

import { expect } from 'vitest'
import { checkoutsPath, openCheckout } from '../../domains/agentic-commerce.ts'
import { mockAntiFraudService } from '../../domains/anti-fraud.ts'
import { mockGiftCardService } from '../../domains/gift-cards.ts'
import { openedPageIncident } from '../../domains/hosted-pages.ts'
import { openedIncident, watch } from '../../domains/monitoring.ts'
import { storeCard } from '../../domains/network-tokens.ts'
import { scenarioOf, threeDSConfiguration } from '../../domains/three-d-secure-configuration.ts'
import { type Client, card, mockCardService, type TestRailyard } from '../../railyard.ts'
import { roleIds } from '../../roles.ts'

/** A request that succeeds: its path and its body. */
export type Request = [path: string, body?: unknown]

/**
 * What a successful request leaves in the audit log: `action type` of each entry; or why there is nothing.
 */
export interface Audited {
  request: () => Promise<Request> | Request
  leaves: readonly string[] | { nothing: string }
}

export type AuditKit = ReturnType<typeof auditKit>

/** Creates what the requests of a shop need. The shop has network tokens and an account updater. */
export function auditKit(railyard: TestRailyard, shop: Client) {
  let count = 0
  const fresh = (name: string) => `${name}-${++count}-${shop.account}`
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await shop.post(path, body)
    expect({ path, body: answer.body, status: answer.status }).toMatchObject({ status: 201 })
    return answer.body.id
  }
  const own = `/merchant-accounts/${shop.account}`
  const buyer = () => made('/buyers', {})
  const shipping = async () => {
    const id = await buyer()
    return `/buyers/${id}/shipping-details/${await made(`/buyers/${id}/shipping-details`, {})}`
  }
  const pays = (amount: number, more: object = {}) =>
    made('/transactions', { amount, currency: 'EUR', payment_method: card, ...more })
  const authorized = async () => `/transactions/${await pays(10_00)}`
  const sold = async () => `/transactions/${await pays(10_00, { intent: 'capture' })}`
  const dispute = async () => {
    const at = await sold()
    await shop.post(`/sandbox${at}/simulate`, { event: 'dispute_notified' })
    return `/disputes/${(await shop.get(`${at}/disputes`)).body.items[0].id}`
  }
  const method = async () => `/payment-methods/${await storeCard(shop)}`
  const flags = { merchant_initiated: false, is_subsequent_payment: false }
  const networkToken = async () => {
    const at = `${await method()}/network-tokens`
    return `${at}/${await made(at, flags)}`
  }
  const serviceToken = async (): Promise<Request> => {
    const keeper = await made(
      '/payment-services',
      mockCardService({ open_loop: false, payment_method_tokenization_enabled: true }),
    )
    return [
      `${await method()}/payment-service-tokens`,
      { payment_service_id: keeper, redirect_url: 'https://shop.example' },
    ]
  }
  const session = () => made('/checkout/sessions', {})
  const checkout = async () => `${checkoutsPath}/${(await openCheckout(shop, Date.now())).id}`
  const wallet = async (provider: string) => {
    const { items } = (await shop.get('/digital-wallets')).body
    const there = items.find((each: { provider: string }) => each.provider === provider)
    return `/digital-wallets/${there?.id ?? (await made('/digital-wallets', walletOf(provider)))}`
  }
  const certificate = async () => {
    const at = `${await wallet('apple')}/certificates`
    return `${at}/${await made(at, { purpose: 'payment-processing' })}`
  }
  const rules = '/flows/card-transaction/rules'
  const rule = () => made(rules, refusal)
  const giftCardService = async () => {
    for (const { id } of (await shop.get('/gift-card-services')).body.items)
      await shop.delete(`/gift-card-services/${id}`)
    return made('/gift-card-services', mockGiftCardService())
  }
  const scenario = async () =>
    `/three-ds-scenarios/${await made('/three-ds-scenarios', scenarioOf({ amount: 1_00 }))}`
  const configuration = async () =>
    `${own}/three-ds-configurations/${await made(`${own}/three-ds-configurations`, configurationOf(fresh('order')))}`
  const paymentService = async () => `/payment-services/${await made('/payment-services', mockCardService())}`
  const antiFraud = async () =>
    `/anti-fraud-services/${await made('/anti-fraud-services', mockAntiFraudService({ active: false }))}`
  const subscription = async () => `/webhook-subscriptions/${await made('/webhook-subscriptions', hook)}`
  const link = { amount: 1_00, country: 'DE', currency: 'EUR' }
  const paymentLink = async () => `/payment-links/${await made('/payment-links', link)}`
  const presets = '/metrics-explorer/authorization/presets'
  const preset = async () => `${presets}/${(await shop.post(presets, question)).body.id}`
  const view = { list: 'payments', name: 'Declined', query: 'status=authorization_failed', shared: true }
  const savedView = async () => `/saved-views/${await made('/saved-views', view)}`
  const policy = async () => `/approval-policies/${await made('/approval-policies', inactivePolicy)}`
  const proposal = async () => {
    const body = { method: 'POST', path: `${await authorized()}/void`, reason: 'The order was canceled' }
    return `/proposals/${await made('/proposals', body)}`
  }
  const pair = () => ({ display_name: 'Backend', role_ids: roleIds('administrator') })
  const keyPair = async () => `/api-key-pairs/${await made('/api-key-pairs', pair())}`
  const spendingLimitOf = async () => ({
    subject: { type: 'api-key-pair', id: await made('/api-key-pairs', pair()) },
    operation: 'refund',
    currency: 'EUR',
    per_day: 1,
  })
  const spendingLimit = async () =>
    `/spending-limits/${await made('/spending-limits', await spendingLimitOf())}`
  const metric = async () => `/monitoring/metrics/${await watch(shop)}`
  const incident = async () =>
    `/monitoring/incidents/${await openedIncident(railyard, shop, await watch(shop))}`
  const pageIncident = async () => `/hosted-pages/incidents/${await openedPageIncident(railyard, shop)}`
  const operation = (leaves: Audited['leaves'], request: Audited['request']): Audited => ({ leaves, request })
  const on = (leaves: string, path: () => Promise<string>, more = '', body?: unknown) =>
    operation([leaves], async () => [`${await path()}${more}`, body])
  const nothing = (reason: string, request: Audited['request']) => operation({ nothing: reason }, request)
  const buyerEntries = 'checkout sessions hold what a buyer types'
  const changesNothing = 'nothing of ours changes'

  const newUser = () => ({
    email_address: `${fresh('tess')}@example.com`,
    name: 'Tess',
    role_ids: ['6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03'],
  })
  const user = async () => `/users/${await made('/users', newUser())}`

  return {
    railyard,
    shop,
    fresh,
    made,
    own,
    buyer,
    shipping,
    pays,
    authorized,
    sold,
    dispute,
    method,
    flags,
    networkToken,
    serviceToken,
    session,
    checkout,
    wallet,
    certificate,
    rules,
    rule,
    giftCardService,
    scenario,
    configuration,
    paymentService,
    antiFraud,
    subscription,
    link,
    paymentLink,
    presets,
    preset,
    view,
    savedView,
    policy,
    proposal,
    spendingLimit,
    spendingLimitOf,
    pair,
    keyPair,
    metric,
    incident,
    pageIncident,
    operation,
    on,
    nothing,
    buyerEntries,
    changesNothing,
    newUser,
    user,
  }
}

export const question = {
  display_name: 'A week',
  metric: 'transactions',
  filters: { datetime_range: 'P7D/now' },
}
/** An active one would ask for the approval of its own change. */
export const inactivePolicy = { display_name: 'Payouts', operations: ['payout'], active: false }
export const hook = { url: 'https://shop.example/hook' }

export const refusal = {
  display_name: 'None of these',
  action: 'decline-early',
  condition: { field: 'metadata.audit', operator: 'is', value: 'no' },
}

export const configurationOf = (order: string) => threeDSConfiguration({ metadata: { order } })

export const walletOf = (provider: string) => ({
  provider,
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  accept_terms_and_conditions: true,
})

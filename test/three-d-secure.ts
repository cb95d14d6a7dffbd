import { expect } from 'vitest'
import { type Answer, type Client, card, type TestRailyard } from './railyard.ts'
import { openShop, type Shop } from './shop.ts'

export const acquirer = {
  merchant_acquirer_bin: '400000',
  merchant_acquirer_id: 'acquirer-merchant-1',
  merchant_name: 'Tea House',
  merchant_country_code: '528',
  merchant_category_code: '5499',
  merchant_url: 'https://tea.example',
}

const schemes = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay', 'discover', 'diners-club', 'other']

/** A merchant whose card payments are authenticated with 3-D Secure. */
export async function openSecureShop(railyard: TestRailyard, options: Parameters<typeof openShop>[1] = {}): Promise<Shop> {
  const shop = await openShop(railyard, options)
  await secure(railyard, shop, shop.paymentServiceId)
  return shop
}

/** Has a payment service of the shop want authentication. */
export async function secure(railyard: TestRailyard, { account }: Client, service: string): Promise<void> {
  const update = { three_d_secure_enabled: true, merchant_profile: Object.fromEntries(schemes.map((scheme) => [scheme, acquirer])) }
  const answer = await railyard.admin.put(`/payment-services/${service}`, update, { 'x-svc-merchant-account-id': account })
  expect(answer).toMatchObject({ status: 200 })
}

/** What the sandbox's issuer is to answer for payments of this amount (SEMANTICS §7.3). */
export async function scenario(
  { admin }: TestRailyard,
  { account }: Client,
  amount: number,
  authentication: string,
  result?: string,
  version?: string,
): Promise<void> {
  const body = {
    conditions: { amount },
    outcome: {
      authentication: { transaction_status: authentication },
      ...(result && { result: { transaction_status: result } }),
      ...(version && { version }),
    },
  }
  expect(await admin.post('/three-ds-scenarios', body, { 'x-svc-merchant-account-id': account })).toMatchObject({ status: 201 })
}

/** A card payment whose cardholder can be sent to their issuer. */
export const secured = (more: object = {}) => ({ payment_method: { ...card, redirect_url: 'https://shop.example/done', ...more } })

/** A browser's way from the payment's `approval_url` through the issuer's page, and back to the merchant: the last location. `decides` presses that button of the issuer's page. */
export async function challenge(railyard: TestRailyard, approvalUrl: string, decides: 'confirm' | 'decline' = 'confirm'): Promise<URL> {
  const ours = await railyard.send('GET', path(approvalUrl), {})
  const creq = ours.text.match(/name="creq" value="([^"]+)"/)?.[1] ?? ''
  const acs = ours.text.match(/action="([^"]+)"/)?.[1] ?? ''
  const issuer = await form(railyard, acs, { creq })
  const decision = await form(railyard, acs, { ...hidden(issuer.text), creq, decision: decides })
  const back = await form(railyard, decision.text.match(/action="([^"]+)"/)?.[1] ?? '', hidden(decision.text))
  return new URL(back.headers['location'] ?? '')
}

const path = (url: string) => new URL(url).pathname + new URL(url).search

const hidden = (page: string) =>
  Object.fromEntries([...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name ?? '', value ?? '']))

const form = (railyard: TestRailyard, url: string, fields: Record<string, string>): Promise<Answer> =>
  railyard.send('POST', path(url), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })

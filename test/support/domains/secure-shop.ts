import { expect } from 'vitest'
import { type Answer, type Client, card, type TestRailyard } from '../railyard.ts'
import { openShop, type Shop } from '../shop.ts'

export const acquirer = {
  merchant_acquirer_bin: '400000',
  merchant_acquirer_id: 'acquirer-merchant-1',
  merchant_name: 'Tea House',
  merchant_country_code: '528',
  merchant_category_code: '5499',
  merchant_url: 'https://tea.example',
}

const schemes = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay', 'discover', 'diners-club', 'other']

/** A payment service's `merchant_profile`: its acquirer for every scheme. */
export const everyScheme = Object.fromEntries(schemes.map((scheme) => [scheme, acquirer]))

/** A merchant whose card payments are authenticated with 3-D Secure. */
export async function openSecureShop(
  railyard: TestRailyard,
  options: Parameters<typeof openShop>[1] = {},
): Promise<Shop> {
  const shop = await openShop(railyard, options)
  await requireAuthentication(railyard, shop, shop.paymentServiceId)
  return shop
}

/** Has a payment service of the shop want authentication. */
export async function requireAuthentication(
  railyard: TestRailyard,
  { account }: Client,
  service: string,
): Promise<void> {
  const update = { three_d_secure_enabled: true, merchant_profile: everyScheme }
  const answer = await railyard.admin.put(`/payment-services/${service}`, update, {
    'x-svc-merchant-account-id': account,
  })
  expect(answer).toMatchObject({ status: 200 })
}

/** What the sandbox's issuer is to answer for payments of this amount (semantics §7.3). */
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
  expect(
    await admin.post('/three-ds-scenarios', body, { 'x-svc-merchant-account-id': account }),
  ).toMatchObject({ status: 201 })
}

/** A card payment whose cardholder can be sent to their issuer. */
export const authenticatedPayment = (more: object = {}) => ({
  payment_method: { ...card, redirect_url: 'https://shop.example/done', ...more },
})

/**
 * A browser's way from the payment's `approval_url` through the issuer's page and back: where it ends at the
 * merchant's. `decision`: the button of the issuer's page.
 */
export async function challenge(
  railyard: TestRailyard,
  approvalUrl: string,
  decision: 'confirm' | 'decline' = 'confirm',
): Promise<URL> {
  const decided = await answer(railyard, approvalUrl, decision)
  return returnToMerchant(railyard, decided.body.notificationURL, decided.body.cres)
}

/** The cardholder answers, and closes the browser. */
export async function answerWithoutReturn(
  railyard: TestRailyard,
  approvalUrl: string,
  decision: 'confirm' | 'decline' = 'confirm',
): Promise<void> {
  await answer(railyard, approvalUrl, decision)
}

async function answer(
  railyard: TestRailyard,
  approvalUrl: string,
  decision: 'confirm' | 'decline',
): Promise<Answer> {
  const { acs, creq } = await ourPage(railyard, approvalUrl)
  const issuer = await post(railyard, acs, { creq, threeDSSessionData: '' })
  const action = String(issuer.body).match(/action="([^"]+)"/)?.[1] ?? ''
  return post(
    railyard,
    action,
    { decision, code: '123456', threeDSSessionData: '' },
    { accept: 'application/json' },
  )
}

/** What our page posts, and where to. */
async function ourPage(railyard: TestRailyard, approvalUrl: string): Promise<{ acs: string; creq: string }> {
  const page = String((await railyard.send('GET', path(approvalUrl))).body)
  return {
    acs: page.match(/action="([^"]+)"/)?.[1] ?? '',
    creq: page.match(/name="creq" value="([^"]+)"/)?.[1] ?? '',
  }
}

/** The issuer's page sends the browser back to ours. */
export async function returnToMerchant(
  railyard: TestRailyard,
  notificationUrl: string,
  cres: string,
): Promise<URL> {
  const back = await post(railyard, notificationUrl, { cres, threeDSSessionData: '' })
  expect(back).toMatchObject({ status: 303 })
  return new URL(back.headers.get('location') ?? '')
}

export const path = (url: string) => new URL(url).pathname + new URL(url).search

const post = (
  railyard: TestRailyard,
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  railyard.send('POST', path(url), {
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

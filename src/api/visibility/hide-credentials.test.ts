import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMerchantData } from '../../../test/fuzz/merchant-data.ts'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { type Client, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { returnUrl } from '../../transactions/approval/approval-links.ts'
import { credentials } from './hide-credentials.ts'

// biome-ignore lint/suspicious/noExplicitAny: the API document is read as it is answered
type Json = any

let railyard: TestRailyard
let paths: Record<string, Json>
let schemas: Record<string, Json>
/** A merchant account with its resources. */
interface Account {
  merchant: Client
  /** Ids of resources, by the names of path parameters; each set fills the paths once more. */
  ids: Record<string, unknown>[]
  /** Every credential that was answered when a resource was made. */
  made: { name: string; value: string }[]
}
const accounts: Account[] = []

const lastPart = (url: string) => new URL(url).pathname.split('/').at(-1) ?? ''

beforeAll(async () => {
  railyard = await startTestRailyard()
  const { body } = await railyard.send('GET', '/openapi.json')
  paths = body.paths
  schemas = body.components.schemas

  const { merchant, known: ids } = await createMerchantData(railyard, 'estate')
  const created = async (path: string, sent: unknown) => (await merchant.post(path, sent)).body
  const basic = { kind: 'basic', username: 'u', password: 'hook-password-1' }
  const oauth = {
    kind: 'oauth_password',
    client_id: 'c',
    client_secret: 'client-secret-1',
    username: 'u',
    password: 'hook-password-2',
  }
  const subscriptions = [
    await created('/webhook-subscriptions', {
      url: 'https://shop.example/hook?key=query-of-url',
      authentication: basic,
    }),
    await created('/webhook-subscriptions', {
      url: 'https://shop.example/hook',
      authentication: { ...oauth, token_url: 'https://shop.example/token?key=query-of-token-url' },
    }),
  ]
  const rotated = await created(`/webhook-subscriptions/${subscriptions[0].id}/rotate-secret`, { delta: 60 })
  const link = await created('/payment-links', { amount: 10_00, currency: 'EUR', country: 'DE' })
  const fraud = await addAntiFraudService(railyard, merchant, { display_name: 'Held', active: false })
  const service = (await merchant.get(`/payment-services/${ids['payment_service_id']}`)).body
  const invited = await created('/users', {
    email_address: 'invited@example.com',
    name: 'Invited',
    role_ids: ['6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03'],
    merchant_account_ids: [merchant.account],
  })
  const estate: Account = {
    merchant,
    ids: [
      { ...ids, user_id: invited.id },
      { subscription_id: subscriptions[0].id, anti_fraud_service_id: fraud.id, payment_link_id: link.id },
      { subscription_id: subscriptions[1].id },
    ],
    made: [
      { name: 'signing secret', value: subscriptions[0].secret },
      { name: 'signing secret after the rotation', value: rotated.secret },
      { name: 'signing secret', value: subscriptions[1].secret },
      ...['hook-password-1', 'hook-password-2', 'client-secret-1', 'query-of-url', 'query-of-token-url'].map(
        (value) => ({ name: value, value }),
      ),
      { name: 'token of a payment link', value: lastPart(link.url) },
      { name: 'token of an anti-fraud service’s webhook_url', value: lastPart(fraud.webhookUrl) },
      { name: 'token of a payment service’s webhook_url', value: lastPart(service.webhook_url) },
      { name: 'token of an invitation', value: lastPart(invited.invitation_url) },
    ],
  }
  accounts.push(estate)

  const wallet = await openWalletShop(railyard)
  const payment = await wallet.asked(10_00)
  accounts.push({
    merchant: wallet,
    ids: [{ transaction_id: payment.id }],
    made: [
      { name: 'page of the wallet', value: payment.created.payment_method.approval_url },
      {
        name: 'token of the URL that the buyer comes back to',
        value:
          new URL(returnUrl(railyard.world, wallet.account, payment.id, 'approved')).pathname
            .split('/')
            .at(-2) ?? '',
      },
    ],
  })

  const bnpl = await openBnplShop(railyard)
  const onPage = (await bnpl.buy(10_00)).body
  const inClient = (await bnpl.buy(11_00, { integration_client: 'web' })).body
  const session = (await bnpl.post(`/transactions/${inClient.id}/session?token=${inClient.session_token}`))
    .body
  accounts.push({
    merchant: bnpl,
    ids: [{ transaction_id: onPage.id }, { transaction_id: inClient.id }],
    made: [
      { name: 'page of bnpl', value: onPage.payment_method.approval_url },
      { name: 'session token', value: inClient.session_token },
      { name: 'client token', value: session.session_data.client_token },
    ],
  })
})
afterAll(() => railyard.close())

const choices = {
  source: 'authorization',
  metric: 'transactions',
  module: 'method',
  flow: 'card-transaction',
}
const queries: Record<string, (ids: Record<string, unknown>) => string> = {
  get_metrics_explorer_module: () => '?datetime_range=P1D/now',
  get_metrics_explorer_totals: () => '?datetime_range=P1D/now',
  get_metrics_explorer_summary: () => '?datetime_range=P1D/now',
  get_card_details: () => '?currency=USD&bin=411111',
  list_buyer_payment_methods: ({ buyer_id }) => `?buyer_id=${buyer_id}`,
  list_monitoring_metrics: () => '?samples_timestamp_interval=PT1H/now',
  list_buyer_gift_cards: ({ buyer_id }) => `?buyer_id=${buyer_id}`,
}

type Reading = { id: string; method: 'GET' | 'POST'; at: string }

/**
 * Every GET of the API document and every POST that a read scope opens, once for each set of ids that fills
 * its path.
 */
const requestsOf = ({ ids }: Account): Reading[] =>
  Object.entries(paths).flatMap(([path, { get, post }]) => {
    const opensToReaders = post?.['x-scopes'].some((scope: string) => scope.endsWith('.read'))
    return [
      ...(get ? readings('GET', path, get, ids) : []),
      ...(opensToReaders ? readings('POST', path, post, ids) : []),
    ]
  })

function readings(
  method: Reading['method'],
  path: string,
  { operationId }: Json,
  ids: Account['ids'],
): Reading[] {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return ids.flatMap((set, index) => {
    const values: Record<string, unknown> = { ...ids[0], ...set, ...choices }
    const isNew = index === 0 || parameters.some((name) => name in set)
    if (!isNew || parameters.some((name) => values[name] === undefined)) return []
    const at = parameters.reduce((url, name) => url.replace(`{${name}}`, String(values[name])), path)
    return [{ id: operationId, method, at: `${at}${queries[operationId]?.(values) ?? ''}` }]
  })
}

const clientOf = ({ merchant: { account } }: Account, scopes: string[]) =>
  railyard.client({ account, merchantAccountIds: [account], scopes })

async function answersTo(account: Account, scopes: string[]) {
  const client = await clientOf(account, scopes)
  const answers: (Reading & { status: number; text: string })[] = []
  for (const reading of requestsOf(account)) {
    const { status, body } = await (reading.method === 'GET'
      ? client.get(reading.at)
      : client.post(reading.at, {}))
    answers.push({ ...reading, status, text: JSON.stringify(body) ?? '' })
  }
  return answers
}

describe('a caller with *.read alone', () => {
  test('gets no credential in any answer', async () => {
    const leaks: string[] = []
    const read = new Set<string>()
    for (const account of accounts)
      for (const { id, method, at, status, text } of await answersTo(account, ['*.read'])) {
        if (status === 200) read.add(id)
        for (const { name, value } of account.made)
          if (text.includes(value)) leaks.push(`${method} ${at} answers the ${name}`)
      }
    expect(leaks).toEqual([])
    expect(read.size).toBeGreaterThan(75)
    expect(read).toContain('sync_transaction')
  })

  test('gets the resources, with the credential null or masked', async () => {
    const [estate] = accounts
    if (!estate) throw new Error('there is no account')
    const reader = await clientOf(estate, ['*.read'])
    const [, more = {}] = estate.ids
    expect((await reader.get(`/webhook-subscriptions/${more['subscription_id']}`)).body).toMatchObject({
      secret: null,
      url: 'https://shop.example/hook',
    })
    expect((await reader.get(`/anti-fraud-services/${more['anti_fraud_service_id']}`)).body).toMatchObject({
      display_name: 'Held',
      webhook_url: null,
    })
    expect((await reader.get(`/payment-links/${more['payment_link_id']}`)).body.url).toMatch(/\/pay\/\*\*\*$/)
  })
})

test('a caller with *.read and *.write gets the credentials of the table', async () => {
  const shown = new Set<string>()
  for (const account of accounts)
    for (const { text } of await answersTo(account, ['*.read', '*.write']))
      for (const { name, value } of account.made) if (text.includes(value)) shown.add(name)
  expect([...shown].toSorted()).toEqual(
    [
      'page of bnpl',
      'page of the wallet',
      'query-of-token-url',
      'query-of-url',
      'session token',
      'signing secret',
      'signing secret after the rotation',
      'token of a payment link',
      'token of a payment service’s webhook_url',
      'token of an anti-fraud service’s webhook_url',
    ].toSorted(),
  )
})

test('each write scope opens the credentials of its own resource only', async () => {
  const [estate] = accounts
  if (!estate) throw new Error('there is no account')
  const [, more = {}] = estate.ids
  const client = await clientOf(estate, ['*.read', 'anti-fraud-services.write'])
  expect(
    (await client.get(`/anti-fraud-services/${more['anti_fraud_service_id']}`)).body.webhook_url,
  ).toContain('/anti-fraud-notifications/')
  expect((await client.get(`/webhook-subscriptions/${more['subscription_id']}`)).body.secret).toBeNull()
  expect((await client.get(`/payment-links/${more['payment_link_id']}`)).body.url).toMatch(/\*\*\*$/)
})

/** Members of answers with the name of a credential that are not one, by the reason. */
const harmless: Record<string, readonly string[]> = {
  'a public address': [
    'AdditionalSchemeDetail.icon_url',
    'CardDetail.scheme_icon_url',
    'CardSchemeDefinition.icon_url',
    'CartItem.image_url',
    'CartItem.product_url',
    'DigitalWallet.merchant_url',
    'MerchantAccountThreeDSConfiguration.merchant_url',
    'MerchantProfileSchemeSummary.merchant_url',
    'PaymentLink.merchant_banner_url',
    'PaymentLink.merchant_favicon_url',
    'PaymentLink.merchant_terms_and_conditions_url',
    'PaymentLink.merchant_url',
    'PaymentLink.return_url',
    'PaymentMethodDefinition.icon_url',
    'PaymentServiceDefinition.icon_url',
  ],
  'the name of a field or of a value': [
    'AntiFraudServiceDefinitionField.key',
    'DefinitionField.key',
    'Field.key',
    'ModuleResponse.key',
  ],
  'an id, under which a payment service processes once': ['TransactionProofOperation.idempotency_key'],
  'a mask, always': [
    'BasicAuthentication.password',
    'CredentialsOAuthAuthentication.client_secret',
    'MerchantAccount.account_updater_request_encryption_key',
    'MerchantAccount.account_updater_response_decryption_key',
    'MerchantAccount.loon_secret_key',
    'PasswordOAuthAuthentication.client_secret',
    'PasswordOAuthAuthentication.password',
  ],
  'the id of an account elsewhere, whose secret is masked': [
    'MerchantAccount.account_updater_request_encryption_key_id',
    'MerchantAccount.account_updater_response_decryption_key_id',
    'MerchantAccount.amex_network_tokens_app_id',
    'MerchantAccount.amex_network_tokens_requestor_id',
    'MerchantAccount.discover_network_tokens_app_id',
    'MerchantAccount.discover_network_tokens_requestor_id',
    'MerchantAccount.loon_client_key',
    'MerchantAccount.mastercard_network_tokens_app_id',
    'MerchantAccount.mastercard_network_tokens_requestor_id',
    'MerchantAccount.visa_network_tokens_app_id',
    'MerchantAccount.visa_network_tokens_requestor_id',
  ],
  'a count': ['Attention.failed_webhook_deliveries'],
  'a setting': [
    'MerchantAccount.async_network_tokens_enabled',
    'PaymentService.network_tokens_enabled',
    'PaymentService.payment_method_tokenization_enabled',
  ],
  'a page of the merchant, which the buyer sees': [
    'AgenticConfirmation.receipt_url',
    'AgenticConsentOption.privacy_policy_url',
    'AgenticOrder.permalink_url',
    'AgenticSupport.help_center_url',
  ],
  'of a platform, which sends its buyer there': ['AgenticCheckout.continue_url'],
  'an id': [
    'AgenticOrderEvents.webhook_subscription_id',
    'WebhookDelivery.webhook_subscription_id',
    'WebhookDeliveryWithEvent.webhook_subscription_id',
  ],
  'null except in the answer to the creation': ['ApiKeyPair.private_key'],
  'worth nothing without the credentials of the payment service, or the scheme’s cryptogram': [
    'NetworkToken.token',
    'PaymentServiceToken.token',
  ],
  'worth nothing without the cookie of the same session': ['Session.csrf_token'],
  'needs a bearer with transactions.write': ['UpdateTransactionSessionResponse.default_completion_url'],
}

describe('members of answers to GET', () => {
  const suspicious = /url|secret|token|password|key|credential|signature|csrf|authorization|webhook/i

  /** `Schema.member` of every member of this schema and those within it whose name is suspicious. */
  function named(schema: Json, owner: string, seen: Set<string>): string[] {
    if (schema === null || typeof schema !== 'object') return []
    if (Array.isArray(schema)) return schema.flatMap((one) => named(one, owner, seen))
    if (typeof schema.$ref === 'string') {
      const name = schema.$ref.split('/').at(-1) ?? ''
      if (seen.has(name)) return []
      seen.add(name)
      return named(schemas[name], name, seen)
    }
    const own = Object.keys(schema.properties ?? {}).flatMap((member) =>
      suspicious.test(member) ? [`${owner}.${member}`] : [],
    )
    const inner = ['properties', 'items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'].flatMap(
      (place) => {
        const within = schema[place]
        return place === 'properties'
          ? Object.values(within ?? {}).flatMap((one) => named(one, owner, seen))
          : named(within, owner, seen)
      },
    )
    return [...own, ...inner]
  }

  test('with the name of a credential are in the table of credentials, or in the list of harmless ones', () => {
    const seen = new Set<string>()
    const found = Object.values(paths).flatMap(({ get }) =>
      get
        ? Object.entries<Json>(get.responses).flatMap(([status, response]) =>
            status.startsWith('2')
              ? named(response.content?.['application/json']?.schema, get.operationId, seen)
              : [],
          )
        : [],
    )
    const tabled = new Set(credentials.map(({ member }) => member.split('.').at(-1)))
    const reviewed = new Set(Object.values(harmless).flat())
    expect(
      [...new Set(found)]
        .filter((name) => !reviewed.has(name) && !tabled.has(name.split('.').at(-1)))
        .toSorted(),
    ).toEqual([])
  })
})

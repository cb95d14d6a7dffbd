import type { Capsule, CapsuleAction } from './capsule.schema.ts'

/** Sends a request of the capsule's merchant, and answers the body. */
export type Send = (method: 'POST' | 'PUT', path: string, body: unknown) => Promise<Record<string, unknown>>

/** The payment services' ids in a capsule, and in its replay. */
export type ServiceNames = ReadonlyMap<string, string>

/** Stands for what a capsule does not have: a secret, a reason. */
const PLACEHOLDER = 'capsule'

/** Makes the account's payment services and rules as they were. Answers the ids of the payment services. */
export async function setUp(
  send: Send,
  secretFieldsOf: (definition: string) => readonly string[],
  capsule: Capsule,
): Promise<ServiceNames> {
  const { payment_services, rules, payment } = capsule
  // an issuer knows the merchant, and authenticates under a profile, or has none
  const profile =
    asksIssuer(capsule) && payment.scheme !== null ? { [payment.scheme]: acquirerProfile } : null
  const names = new Map<string, string>()
  for (const [position, { id, definition, fields, ...settings }] of payment_services.entries()) {
    const secrets = secretFieldsOf(definition).map((key) => ({ key, value: PLACEHOLDER }))
    const created = await send('POST', '/payment-services', {
      ...settings,
      display_name: `${definition} ${position + 1}`,
      payment_service_definition_id: definition,
      position,
      ...(profile && settings.three_d_secure_enabled && { merchant_profile: profile }),
      fields: [...fields, ...secrets],
    })
    names.set(id, String(created['id']))
  }
  const secret = { display_name: PLACEHOLDER, fields: [{ key: 'api_key', value: PLACEHOLDER }] }
  if (capsule.anti_fraud_service !== undefined)
    await send('POST', '/anti-fraud-services', {
      ...secret,
      anti_fraud_service_definition_id: capsule.anti_fraud_service,
    })
  if (capsule.gift_card_service !== undefined)
    await send('POST', '/gift-card-services', {
      ...secret,
      gift_card_service_definition_id: capsule.gift_card_service,
    })
  for (const { flow, rules: items } of rules) {
    await send('PUT', `/flows/${flow}/rules`, { items: renamed(items, names) })
    await send('POST', `/flows/${flow}/rules/publish`, {})
  }
  return names
}

/** A copy with the replay's ids of payment services. */
function renamed(value: unknown, names: ServiceNames): unknown {
  const text = [...names].reduce((json, [old, now]) => json.replaceAll(old, now), JSON.stringify(value))
  return JSON.parse(text)
}

/** Without a page for the buyer to return to, the issuer is not asked either. */
const asksIssuer = ({ operations, result }: Capsule) =>
  result.error_code === 'missing_redirect_url' || operations.some(({ kind }) => kind === 'authentication')

/** Stands for the merchant at its acquirer. */
const acquirerProfile = {
  merchant_acquirer_bin: '400000',
  merchant_acquirer_id: PLACEHOLDER,
  merchant_name: PLACEHOLDER,
  merchant_country_code: '840',
  merchant_category_code: '5045',
  merchant_url: 'https://capsule.invalid',
}

/** Numbers that every scheme reserves for tests. */
const testCards: Readonly<Record<string, string>> = {
  visa: '4111111111111111',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  discover: '6011111111111117',
  jcb: '3530111333300000',
  'diners-club': '30569309025904',
  unionpay: '6200000000000005',
}

/** A request of the merchant at its time, in milliseconds since 1970. */
export interface ReplayRequest {
  at: number
  path(payment: string): string
  body: unknown
}

export function replayRequests(
  { payment, created_at, actions, operations }: Capsule,
  names: ServiceNames,
): ReplayRequest[] {
  const { scheme, method, payment_service_id: service, gift_cards, ...rest } = payment
  const returns = operations.some(({ kind }) => kind === 'authentication' || kind === 'approval')
  const redirect_url = 'https://capsule.invalid/return'
  const number = testCards[scheme ?? ''] ?? '4111111111111111'
  const create = {
    ...rest,
    ...(service !== undefined && { payment_service_id: names.get(service) ?? service }),
    ...(gift_cards && {
      gift_cards: gift_cards.map(({ amount }, index) => ({
        number: String(6_006_490_000_000_000 + index),
        pin: '05000',
        amount,
      })),
    }),
    ...(method === 'card' && {
      payment_method: {
        method,
        number,
        expiration_date: '12/49',
        security_code: number.startsWith('3') ? '1234' : '123',
        ...(returns && { redirect_url }),
      },
    }),
    ...(returns &&
      method !== 'card' && {
        payment_method: { method, country: payment.country, currency: payment.currency, redirect_url },
      }),
  }
  return [
    { at: Date.parse(created_at), path: () => '/transactions', body: create },
    ...actions.map((action) => ({ at: Date.parse(action.at), ...actionRequest(action) })),
  ]
}

/** The path below the transaction, and the body. */
function actionRequest({ kind, amount, final, forced }: CapsuleAction): Omit<ReplayRequest, 'at'> {
  const under = (path: string) => (payment: string) => `/transactions/${payment}${path}`
  switch (kind) {
    case 'capture':
      return { path: under('/capture'), body: { amount, final } }
    case 'void':
      return { path: under('/void'), body: {} }
    case 'cancel':
      return { path: under('/cancel'), body: {} }
    case 'increment':
      return { path: under('/authorization/increment'), body: { amount } }
    case 'refund':
      return {
        path: under('/refunds'),
        body: { amount, ...(forced && { force: true, reason: PLACEHOLDER }) },
      }
  }
}

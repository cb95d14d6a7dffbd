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
  { payment_services, rules }: Capsule,
): Promise<ServiceNames> {
  const names = new Map<string, string>()
  for (const [position, { id, definition, fields, ...settings }] of payment_services.entries()) {
    const secrets = secretFieldsOf(definition).map((key) => ({ key, value: PLACEHOLDER }))
    const created = await send('POST', '/payment-services', {
      ...settings,
      display_name: `${definition} ${position + 1}`,
      payment_service_definition_id: definition,
      position,
      fields: [...fields, ...secrets],
    })
    names.set(id, String(created['id']))
  }
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
  { payment, created_at, actions }: Capsule,
  names: ServiceNames,
): ReplayRequest[] {
  const { scheme, method, payment_service_id: service, ...rest } = payment
  const number = testCards[scheme ?? ''] ?? '4111111111111111'
  const create = {
    ...rest,
    ...(service !== undefined && { payment_service_id: names.get(service) ?? service }),
    payment_method: {
      method,
      number,
      expiration_date: '12/49',
      security_code: number.startsWith('3') ? '1234' : '123',
    },
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

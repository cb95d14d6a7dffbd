import type { Call, ServiceCall } from '../contract/call.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import { type FormValue, toForm } from './form.ts'

/** The version of Stripe's API that every request names, and that its notifications have. */
export const API_VERSION = '2026-10-28.endive'

const STRIPE_URL = 'https://api.stripe.com'
const FILES_URL = 'https://files.stripe.com'

export type Body = Readonly<Record<string, FormValue>>

export interface Wire {
  /** `key`: the idempotency key; undefined: the request may be made again at any time. */
  post(call: ServiceCall, path: string, body: Body, key?: string): Promise<HttpAnswer>
  get(call: ServiceCall, path: string, query?: Body, record?: HttpRequest['record']): Promise<HttpAnswer>
  delete(call: ServiceCall, path: string): Promise<HttpAnswer>
  /** Uploads evidence for a dispute. */
  upload(call: ServiceCall, file: Upload, key: string): Promise<HttpAnswer>
  headers(call: ServiceCall): Record<string, string>
  /** Whether a URL is Stripe's, so that it may get the secret key. */
  isOurs(url: string): boolean
}

interface Upload {
  name: string
  type: string
  content: Buffer
}

/** `replaced`: the URL of a proxy or a fake, for both of Stripe's hosts. */
export function openWire(replaced?: string): Wire {
  const baseUrl = replaced ?? STRIPE_URL
  const filesUrl = replaced ?? FILES_URL
  const headers = (call: ServiceCall): Record<string, string> => ({
    authorization: `Bearer ${call.service.fields['secret_key'] ?? ''}`,
    'stripe-version': API_VERSION,
    ...accountHeader(connectedAccount(call)),
  })
  return {
    headers,
    isOurs: (url) =>
      URL.canParse(url) && [baseUrl, filesUrl].some((ours) => new URL(url).origin === new URL(ours).origin),
    upload: (call, { name, type, content }, key) =>
      call.http({
        method: 'POST',
        url: `${filesUrl}/v1/files`,
        headers: { ...headers(call), 'idempotency-key': key },
        parts: [
          { name: 'purpose', content: 'dispute_evidence' },
          { name: 'file', content, file: { name, type } },
        ],
      }),
    post: (call, path, body, key) =>
      call.http({
        method: 'POST',
        url: `${baseUrl}${path}`,
        headers: { ...headers(call), ...(key !== undefined && { 'idempotency-key': key }) },
        form: toForm(body),
      }),
    get: (call, path, query = {}, record) => {
      const search = new URLSearchParams(toForm(query)).toString()
      return call.http({
        method: 'GET',
        url: `${baseUrl}${path}${search && `?${search}`}`,
        headers: headers(call),
        ...(record && { record }),
      })
    },
    delete: (call, path) => call.http({ method: 'DELETE', url: `${baseUrl}${path}`, headers: headers(call) }),
  }
}

const accountHeader = (account: string | undefined): Record<string, string> =>
  account === undefined ? {} : { 'stripe-account': account }

/** The identifier under which later operations find the connected account that took the payment. */
export const ACCOUNT_IDENTIFIER = 'stripe_account'

/** A call whose requests go to the connected account that took a payment. */
type AccountCall = ServiceCall & {
  payment?: Call['payment']
  operation?: Pick<Call['operation'], 'identifiers'>
}

/** The call as one about the payment with these identifiers. */
export const onAccountOf = (
  { http, service }: ServiceCall,
  identifiers: Call['operation']['identifiers'] = {},
): AccountCall => ({ http, service, operation: { identifiers } })

/** The connected account that takes the payment (Connect, direct charges); undefined: the merchant's own. */
export function connectedAccount(call: AccountCall) {
  return readConnectOptions(call.payment?.options).account ?? call.operation?.identifiers[ACCOUNT_IDENTIFIER]
}

/** The options for platforms (`stripe_connect`), as Stripe names them. */
export function readConnectOptions(options: Readonly<Record<string, unknown>> | undefined) {
  const given = options?.['stripe_connect']
  const connect = typeof given === 'object' && given !== null ? given : {}
  const member = (name: string): unknown => Object.entries(connect).find(([key]) => key === name)?.[1]
  const text = (name: string) => {
    const value = member(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const fee = member('application_fee_amount')
  const destination = text('transfer_data_destination')
  return {
    account: text('stripe_account'),
    body: {
      application_fee_amount: typeof fee === 'number' ? fee : undefined,
      on_behalf_of: text('on_behalf_of'),
      transfer_data: destination === undefined ? undefined : { destination },
      transfer_group: text('transfer_group'),
    } satisfies Body,
  }
}

/** Live keys begin so; a sandbox sends nothing with them. */
export const isLiveKey = (key: string | undefined): boolean => /^(?:sk|rk)_live_/.test(key ?? '')

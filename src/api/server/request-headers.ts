import type { IncomingMessage } from 'node:http'
import { invalidHeader } from '../errors.ts'

export const MERCHANT_ACCOUNT = 'x-svc-merchant-account-id'

/**
 * The headers that decide who acts, on which account, and whether the request was done before. They may be
 * sent once: of two, one server would take the first and another the last.
 */
const singleHeaders = new Set([MERCHANT_ACCOUNT, 'authorization', 'idempotency-key'])
const singleHeaderLengths = new Set(Array.from(singleHeaders, ({ length }) => length))

/**
 * Whether a client has probably misspelt the account's header: `X-Merchant-Account-Id`,
 * `x_svc_merchant_account_id`.
 */
const isMisspeltAccountHeader = (name: string) => name.replaceAll('_', '-').endsWith('merchant-account-id')

/**
 * Throws 400 for a header that may be sent once and is sent twice, and for a misspelt header of the merchant
 * account (semantics §0.16): it is not read, and the request would act on `default`.
 */
export function refuseMisspeltHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] ?? ''
    // every request comes here: most names are passed over without lower-casing them
    const mayMatter =
      singleHeaderLengths.has(rawName.length) || rawName.endsWith('d') || rawName.endsWith('D')
    if (!mayMatter) continue
    const name = rawName.toLowerCase()
    if (name !== MERCHANT_ACCOUNT && isMisspeltAccountHeader(name))
      throw invalidHeader(name, `is not read: the merchant account is named by ${MERCHANT_ACCOUNT}`)
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) throw invalidHeader(name, 'must be sent once')
    seen.add(name)
  }
}

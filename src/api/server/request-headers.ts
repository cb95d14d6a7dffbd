import type { IncomingMessage } from 'node:http'
import { invalidHeader } from '../errors.ts'

export const MERCHANT_ACCOUNT = 'x-svc-merchant-account-id'

/** What decides who acts, on which account, and whether it was done before: a server that reads the first of two would do another thing than one that reads the last. */
const singleHeaders = new Set([MERCHANT_ACCOUNT, 'authorization', 'idempotency-key'])
const lengths = new Set(Array.from(singleHeaders, ({ length }) => length))

/** A name that a client meant for ours: `X-Merchant-Account-Id`, `x_svc_merchant_account_id`. */
const isMisspeltAccountHeader = (name: string) => name.replaceAll('_', '-').endsWith('merchant-account-id')

/**
 * Throws 400 for a header that is sent twice and may be sent once, and for one by which a client means to name the merchant account and which is not read (SEMANTICS §0.16): the
 * request would act on `default`.
 */
export function refuseMisspeltHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] ?? ''
    const mayMatter = lengths.has(given.length) || given.endsWith('d') || given.endsWith('D')
    if (!mayMatter) continue
    const name = given.toLowerCase()
    if (name !== MERCHANT_ACCOUNT && isMisspeltAccountHeader(name))
      throw invalidHeader(name, `is not read: the merchant account is named by ${MERCHANT_ACCOUNT}`)
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) throw invalidHeader(name, 'must be sent once')
    seen.add(name)
  }
}

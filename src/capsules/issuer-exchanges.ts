import type { Exchange } from '../connectors/contract/call.ts'
import type { OperationRow } from '../operations/operation.ts'
import type { TimelineEntry } from '../operations/timeline-entry.ts'

const requests = [
  'three-d-secure-preparation-request',
  'three-d-secure-authentication-request',
  'three-d-secure-result-request',
]

/** Of the form that a proof must have, and of no cardholder. */
const PROOF = Buffer.alloc(20).toString('base64')

/**
 * What the 3DS server answered, which only the timeline keeps. A payment has one authentication. The proof is in
 * no log: a placeholder takes its place. The 3DS server's transaction id becomes that of the operation, as in a
 * payment whose browser ran no 3DS method before.
 */
export function issuerExchanges(
  { kind, id, input }: OperationRow,
  entries: readonly TimelineEntry[],
): Pick<Exchange, 'method' | 'url' | 'status' | 'response' | 'started_at' | 'ended_at'>[] {
  if (kind !== 'authentication') return []
  const begun = input.three_ds_method?.transaction_id ?? id
  return entries
    .filter(({ name }) => requests.includes(name))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ name, context, created_at }) => ({
      method: name === 'three-d-secure-result-request' ? 'GET' : 'POST',
      url: atSandbox(String(context['url'])).replace(begun, id),
      status: typeof context['response_status_code'] === 'number' ? context['response_status_code'] : null,
      response: withProof(JSON.parse(JSON.stringify(context['response'] ?? null).replaceAll(begun, id))),
      started_at: created_at,
      ended_at: created_at,
    }))
}

/** A replay asks the sandbox's 3DS server, wherever the payment's was. */
const atSandbox = (url: string) => url.replace(/^.*(?=\/3dss\/)/, 'http://capsule.invalid/3ds')

const withProof = (response: unknown): unknown =>
  typeof response === 'object' && response !== null && 'authenticationValue' in response
    ? { ...response, authenticationValue: PROOF }
    : response

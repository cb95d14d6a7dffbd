/** The keys of requests without an answer of 2xx, by the SHA-256 of the request: its body may hold a secret. */
const unanswered = new Map<string, string>()

/** A request under its idempotency key. */
export interface Attempt {
  key: string
  /** To be called after an answer of 2xx, a decline among them: the same request is a new one from then on. */
  answered: () => void
}

/**
 * The key of a request: that of an earlier attempt at the same request whose answer was lost, or has not come
 * yet, and otherwise its own. Whichever dialog sends it, the request is then done once. An answer of 4xx keeps
 * the key: that attempt has not used it, and an earlier one may have. Undefined: the request has no key.
 */
export async function attemptOf(
  url: string,
  { method, body }: RequestInit,
  { 'idempotency-key': own, 'x-svc-merchant-account-id': account }: Record<string, string>,
): Promise<Attempt | undefined> {
  if (own === undefined) return undefined
  const request = await sha256(JSON.stringify([method, url, body, account]))
  const key = unanswered.get(request) ?? own
  unanswered.set(request, key)
  return {
    key,
    answered: () => {
      if (unanswered.get(request) === key) unanswered.delete(request)
    },
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

import type { RailyardOptions } from '../options.ts'
import { encodeJson } from './base64url.ts'
import { readSigner, type Signer } from './private-key.ts'

/** The claims of a token beside those about time. */
export interface Claims {
  scopes: readonly string[]
  embed?: object | undefined
  checkout_session_id?: string | undefined
}

/** What authorizes requests. */
export interface TokenSource {
  /** The token of the next request. Undefined: requests are sent without one. */
  token(): Promise<string | undefined>
  /** Signs another token. Throws without a private key. `lifetime` in seconds. */
  sign(claims: Claims, lifetime: number): Promise<string>
}

const DEFAULT_LIFETIME = 300

export function tokenSource({ privateKey, token, scopes, tokenLifetime }: RailyardOptions): TokenSource {
  let signer: Promise<Signer> | undefined
  const sign: TokenSource['sign'] = async (claims, lifetime) => {
    if (!privateKey) throw new TypeError('railyard: a token is signed with the option privateKey')
    signer ??= readSigner(privateKey)
    return signToken(await signer, claims, lifetime)
  }
  if (token !== undefined) return { sign, token: async () => (typeof token === 'string' ? token : token()) }
  if (!privateKey) return { sign, token: async () => undefined }

  const lifetime = tokenLifetime ?? DEFAULT_LIFETIME
  // renewed before it expires, so that it does not expire on its way
  const useFor = Math.max(lifetime - 30, lifetime / 2) * 1000
  let current: { text: Promise<string>; until: number } | undefined
  return {
    sign,
    // requests at the same time wait for the same signature
    token: () => {
      if (!current || Date.now() >= current.until) {
        const text = sign({ scopes: scopes ?? ['*.read', '*.write'] }, lifetime)
        current = { text, until: Date.now() + useFor }
        text.catch(() => {
          current = undefined
          signer = undefined
        })
      }
      return current.text
    },
  }
}

async function signToken(signer: Signer, claims: Claims, lifetime: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const header = encodeJson({ alg: signer.algorithm, typ: 'JWT', kid: signer.kid })
  const payload = encodeJson({
    iss: '@railyard/client',
    iat: now,
    nbf: now,
    exp: now + lifetime,
    jti: crypto.randomUUID(),
    ...claims,
  })
  return `${header}.${payload}.${await signer.sign(`${header}.${payload}`)}`
}

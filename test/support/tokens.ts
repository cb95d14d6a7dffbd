import { randomUUID, subtle } from 'node:crypto'
import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import type { Caller } from '../../src/api/auth/caller.ts'
import type { Algorithm } from '../../src/api/auth/token.ts'
import type { Answer, TestRailyard } from './railyard.ts'

const parameters: Record<Algorithm, { name: string; hash?: string }> = {
  ES512: { name: 'ECDSA', hash: 'SHA-512' },
  ES384: { name: 'ECDSA', hash: 'SHA-384' },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  RS512: { name: 'RSASSA-PKCS1-v1_5' },
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
  EdDSA: { name: 'Ed25519' },
}

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

export const headerOf = ({ algorithm, thumbprint }: Signer) => ({
  alg: algorithm,
  typ: 'JWT',
  kid: thumbprint,
})

/** The claims of a valid token now, by the machine's clock. */
export function goodClaims(more: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: 'merchant',
    iat: now,
    nbf: now,
    exp: now + 300,
    jti: randomUUID(),
    scopes: ['*.read', '*.write'],
    ...more,
  }
}

/** Signs any text or JSON, without the checks of a library. */
export async function signed(
  signer: Signer,
  payload: unknown,
  header: unknown = headerOf(signer),
): Promise<string> {
  const content = `${encode(header)}.${encode(payload)}`
  const signature = await subtle.sign(parameters[signer.algorithm], signer.privateKey, Buffer.from(content))
  return `${content}.${Buffer.from(signature).toString('base64url')}`
}

/** The token of a caller, as authentication reads it. */
export const tokenWith = (scopes: readonly string[]): NonNullable<Caller['token']> => ({
  kid: 'k',
  jti: 'j',
  scopes,
  embed: undefined,
  checkoutSessionId: undefined,
  exp: 0,
})

/**
 * A browser with a token of the key pair that `signer` signs for. `embed` undefined: the token has no
 * constraints.
 */
export async function browserWithToken(
  { send }: Pick<TestRailyard, 'send'>,
  signer: Signer,
  embed: Record<string, unknown> | undefined,
  claims: Record<string, unknown> = {},
) {
  const token = await signed(signer, goodClaims({ scopes: ['embed'], ...(embed && { embed }), ...claims }))
  return (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(method, path, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
}

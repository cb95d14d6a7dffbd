import { randomUUID, subtle } from 'node:crypto'
import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import type { Algorithm } from '../../src/api/auth/token.ts'

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

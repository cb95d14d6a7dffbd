import { bytesOf, decodeBase64, encodeBytes } from './base64url.ts'

/** A PKCS #8 PEM (`-----BEGIN PRIVATE KEY-----`), or a private key as JWK. */
export type PrivateKey = string | { kty?: string; crv?: string; d?: string; [member: string]: unknown }

/** What signs tokens. */
export interface Signer {
  algorithm: string
  /** The key's RFC 7638 thumbprint. */
  kid: string
  sign(text: string): Promise<string>
}

/** The kinds of key, by the name of their curve in a JWK. `oid`: how a PEM names the curve, in hex. */
const curves: Readonly<Record<string, { algorithm: string; hash?: string; oid: string }>> = {
  Ed25519: { algorithm: 'EdDSA', oid: '06032b6570' },
  'P-256': { algorithm: 'ES256', hash: 'SHA-256', oid: '06082a8648ce3d030107' },
  'P-384': { algorithm: 'ES384', hash: 'SHA-384', oid: '06052b81040022' },
  'P-521': { algorithm: 'ES512', hash: 'SHA-512', oid: '06052b81040023' },
}

/** The first bytes of a PKCS #8 key, which name its kind. */
const HEADER_BYTES = 30

/** Reads a private key. Throws a TypeError for one that cannot sign tokens. */
export async function readSigner(privateKey: PrivateKey): Promise<Signer> {
  const { format, data, crv } = typeof privateKey === 'string' ? readPem(privateKey) : readJwk(privateKey)
  const curve = curves[crv]
  if (!curve) throw new TypeError('railyard: the private key is none of Ed25519, P-256, P-384 and P-521')
  const { algorithm, hash } = curve
  const imported = hash ? { name: 'ECDSA', namedCurve: crv } : { name: 'Ed25519' }
  // extractable, since the thumbprint is made of the public half of it
  const key =
    format === 'pkcs8'
      ? await crypto.subtle.importKey('pkcs8', data, imported, true, ['sign'])
      : await crypto.subtle.importKey('jwk', data, imported, true, ['sign'])
  const { kty, x, y } = await crypto.subtle.exportKey('jwk', key)
  const members = JSON.stringify(y === undefined ? { crv, kty, x } : { crv, kty, x, y })
  const kid = encodeBytes(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(members))))
  const how = hash ? { name: 'ECDSA', hash } : { name: 'Ed25519' }
  return {
    algorithm,
    kid,
    sign: async (text) => encodeBytes(new Uint8Array(await crypto.subtle.sign(how, key, bytesOf(text)))),
  }
}

function readPem(pem: string) {
  const [, base64] = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(pem) ?? []
  if (base64 === undefined)
    throw new TypeError('railyard: the private key is not a PKCS #8 PEM (-----BEGIN PRIVATE KEY-----)')
  const data = decodeBase64(base64.replaceAll(/\s/g, ''))
  const header = Array.from(data.subarray(0, HEADER_BYTES), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const crv = Object.keys(curves).find((name) => header.includes(curves[name]?.oid ?? ' ')) ?? ''
  return { format: 'pkcs8' as const, data, crv }
}

/** Its key members only: `alg`, `use` and `key_ops` of other tools may contradict what it is used for here. */
function readJwk({ kty, crv, x, y, d }: Exclude<PrivateKey, string>) {
  const parts = Object.entries({ kty, crv, x, y, d }).filter(([, value]) => typeof value === 'string')
  return { format: 'jwk' as const, data: Object.fromEntries(parts), crv: String(crv) }
}

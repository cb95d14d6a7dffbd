import {
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  verify,
} from 'node:crypto'
import { Type } from 'typebox'
import { isEqualInConstantTime } from '../../base/cipher.ts'
import { Compile } from '../../base/compile.ts'
import { fromBase64, type OpenedWalletToken, RefusedToken, refuseOnError } from './wallet-token.ts'

// Google Pay API, Payment data cryptography for merchants, protocol version ECv2.

const Millis = Type.String({ pattern: '^\\d{1,13}$' })

const Token = Compile(
  Type.Object({
    protocolVersion: Type.Literal('ECv2'),
    signature: Type.String(),
    intermediateSigningKey: Type.Object({
      signedKey: Type.String(),
      signatures: Type.Array(Type.String(), { maxItems: 10 }),
    }),
    signedMessage: Type.String(),
  }),
)
const SignedKey = Compile(Type.Object({ keyValue: Type.String(), keyExpiration: Millis }))
const SignedMessage = Compile(
  Type.Object({ encryptedMessage: Type.String(), ephemeralPublicKey: Type.String(), tag: Type.String() }),
)

const card = {
  pan: Type.String({ pattern: '^\\d{12,19}$' }),
  expirationMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expirationYear: Type.Integer({ minimum: 2000, maximum: 2099 }),
}
const Message = Compile(
  Type.Object({
    messageId: Type.String({ minLength: 1, maxLength: 1000 }),
    messageExpiration: Millis,
    gatewayMerchantId: Type.String(),
    paymentMethod: Type.Literal('CARD'),
    paymentMethodDetails: Type.Union([
      Type.Object({ ...card, authMethod: Type.Literal('PAN_ONLY') }),
      Type.Object({
        ...card,
        authMethod: Type.Literal('CRYPTOGRAM_3DS'),
        cryptogram: Type.String({ minLength: 1 }),
        eciIndicator: Type.Optional(Type.String({ pattern: '^(?:\\d{1,2})?$' })),
      }),
    ]),
  }),
)

/** One of Google's root signing keys. */
export interface RootKey {
  key: KeyObject
  /** Milliseconds since 1970; null: it does not expire. */
  expires: number | null
}

export interface GooglePayRecipient {
  /** `gateway:` and the id that Google gave the gateway. */
  recipientId: string
  /** The merchant of the gateway that is paid. */
  gatewayMerchantId: string
  privateKeys: readonly KeyObject[]
}

/** Verifies and opens a Google Pay token, which may be JSON text or parsed. Throws `RefusedToken`. */
export function openGooglePayToken(
  input: unknown,
  recipient: GooglePayRecipient,
  roots: readonly RootKey[],
  now: number,
): OpenedWalletToken {
  const token: unknown =
    typeof input === 'string' ? refuseOnError('is not JSON', () => JSON.parse(input)) : input
  if (!Token.Check(token)) throw new RefusedToken('is not a Google Pay token of version ECv2')
  const signer = refuseOnError('is not signed by the wallet', () =>
    intermediateKey(token.intermediateSigningKey, roots, now),
  )
  const signed = signedBytes('Google', recipient.recipientId, 'ECv2', token.signedMessage)
  if (
    !refuseOnError('is not well-formed', () => verify('sha256', signed, signer, fromBase64(token.signature)))
  )
    throw new RefusedToken('has a wrong signature')

  const sealed: unknown = refuseOnError('is not well-formed', () => JSON.parse(token.signedMessage))
  if (!SignedMessage.Check(sealed)) throw new RefusedToken('is not well-formed')
  const encrypted = fromBase64(sealed.encryptedMessage)
  const ephemeralPoint = fromBase64(sealed.ephemeralPublicKey)
  const tag = fromBase64(sealed.tag)
  const keys = recipient.privateKeys.map((key) =>
    refuseOnError('is not well-formed', () => deriveGooglePayKeys(key, ephemeralPoint)),
  )
  const found = keys.find(({ mac }) =>
    isEqualInConstantTime(createHmac('sha256', mac).update(encrypted).digest(), tag),
  )
  if (!found) throw new RefusedToken('is encrypted for another merchant')
  const message: unknown = refuseOnError('cannot be decrypted', () =>
    JSON.parse(applyGooglePayCipher(found.encryption, encrypted).toString('utf8')),
  )
  if (!Message.Check(message)) throw new RefusedToken('holds nothing that can be paid with')
  if (Number(message.messageExpiration) <= now) throw new RefusedToken('has expired')
  if (message.gatewayMerchantId !== recipient.gatewayMerchantId)
    throw new RefusedToken('is for another merchant')
  return toOpened(message.messageId, Number(message.messageExpiration), message.paymentMethodDetails)
}

interface Card {
  pan: string
  expirationMonth: number
  expirationYear: number
}
type Details = Card &
  ({ authMethod: 'PAN_ONLY' } | { authMethod: 'CRYPTOGRAM_3DS'; cryptogram: string; eciIndicator?: string })

function toOpened(tokenId: string, usableUntil: number, details: Details): OpenedWalletToken {
  const { pan, expirationMonth, expirationYear, authMethod } = details
  const proof =
    authMethod === 'CRYPTOGRAM_3DS'
      ? { cryptogram: details.cryptogram, eci: details.eciIndicator?.padStart(2, '0') }
      : undefined
  return {
    number: pan,
    expirationDate: `${String(expirationMonth).padStart(2, '0')}/${String(expirationYear).slice(-2)}`,
    cryptogram: proof?.cryptogram ?? null,
    eci: proof?.eci && proof.eci !== '00' ? proof.eci : null,
    source: 'google-pay',
    method: authMethod,
    tokenId,
    usableUntil,
    approved: null,
  }
}

/** The key that has signed a token, once one of the roots has signed that key. */
function intermediateKey(
  { signedKey, signatures }: { signedKey: string; signatures: string[] },
  roots: readonly RootKey[],
  now: number,
): KeyObject {
  const signed = signedBytes('Google', 'ECv2', signedKey)
  const isVouched = roots
    .filter(({ expires }) => expires === null || expires > now)
    .some(({ key }) => signatures.some((signature) => verify('sha256', signed, key, fromBase64(signature))))
  const content: unknown = JSON.parse(signedKey)
  if (!isVouched || !SignedKey.Check(content)) throw new RefusedToken('is not signed by the wallet')
  if (Number(content.keyExpiration) <= now) throw new RefusedToken('is signed with a key that has expired')
  return publicKeyOf(content.keyValue)
}

/** A P-256 key in Google's form: SubjectPublicKeyInfo in base64. */
export const publicKeyOf = (spki: string): KeyObject =>
  createPublicKey({ key: fromBase64(spki), format: 'der', type: 'spki' })

/** The bytes that are signed: each part after its length in four bytes, little-endian. */
export function signedBytes(...parts: string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )
}

const UNCOMPRESSED = 4

/** ECIES-KEM on P-256, HKDF with SHA-256: one key to encrypt, one to authenticate. */
export function deriveGooglePayKeys(privateKey: KeyObject, ephemeralPoint: Buffer) {
  if (ephemeralPoint.length !== 65 || ephemeralPoint[0] !== UNCOMPRESSED)
    throw new RefusedToken('is not well-formed')
  const [x, y] = [ephemeralPoint.subarray(1, 33), ephemeralPoint.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' },
    format: 'jwk',
  })
  return stretchGooglePaySecret(ephemeralPoint, diffieHellman({ privateKey, publicKey }))
}

/** `sharedSecret`: the result of the ECDH. */
export function stretchGooglePaySecret(ephemeralPoint: Buffer, sharedSecret: Buffer) {
  const keys = Buffer.from(
    hkdfSync('sha256', Buffer.concat([ephemeralPoint, sharedSecret]), '', 'Google', 64),
  )
  return { encryption: keys.subarray(0, 32), mac: keys.subarray(32) }
}

/**
 * AES-256 in counter mode, which encrypts and decrypts in the same way. The key is used once, so the counter
 * may begin at zero.
 */
export function applyGooglePayCipher(key: Buffer, bytes: Buffer): Buffer {
  const cipher = createDecipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

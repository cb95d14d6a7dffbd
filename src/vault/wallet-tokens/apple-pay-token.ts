import { createDecipheriv, createHash, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import currencyCodes from 'currency-codes'
import { Type } from 'typebox'
import { Compile } from '../../base/compile.ts'
import { FRESH_MS, type TrustedRoots, verifyApplePaySignature } from './apple-pay-signature.ts'
import { fromBase64, type OpenedWalletToken, RefusedToken, refuseOnError } from './wallet-token.ts'

const Hex = Type.String({ pattern: '^(?:[0-9a-fA-F]{2})+$', maxLength: 1000 })

/**
 * `paymentData` of a PKPaymentToken (Apple, Payment Token Format Reference), under elliptic curve
 * cryptography.
 */
const Token = Compile(
  Type.Object({
    version: Type.Literal('EC_v1'),
    data: Type.String(),
    signature: Type.String(),
    header: Type.Object({
      ephemeralPublicKey: Type.String(),
      publicKeyHash: Type.String(),
      transactionId: Hex,
      applicationData: Type.Optional(Hex),
    }),
  }),
)

/** The encrypted content, as far as it is used. Amounts are in the smallest unit of the currency. */
const PaymentData = Compile(
  Type.Object({
    applicationPrimaryAccountNumber: Type.String({ pattern: '^\\d{12,19}$' }),
    applicationExpirationDate: Type.String({ pattern: '^\\d{6}$' }),
    currencyCode: Type.String({ pattern: '^\\d{3}$' }),
    transactionAmount: Type.Integer({ minimum: 0 }),
    paymentDataType: Type.Literal('3DSecure'),
    paymentData: Type.Object({
      onlinePaymentCryptogram: Type.String({ minLength: 1 }),
      eciIndicator: Type.Optional(Type.String({ pattern: '^\\d{1,2}$' })),
    }),
  }),
)

/** A key for which wallets encrypt, and the merchant in its certificate. */
export interface ApplePayKey {
  privateKey: KeyObject
  /** SHA-256 of the merchant identifier, 32 bytes. */
  merchantIdHash: Buffer
}

/** Verifies and opens an Apple Pay payment token, version EC_v1. Throws `RefusedToken`. */
export function openApplePayToken(
  token: unknown,
  keys: readonly ApplePayKey[],
  trust: TrustedRoots,
): OpenedWalletToken {
  if (!Token.Check(token)) throw new RefusedToken('is not an Apple Pay token of version EC_v1')
  const { header } = token
  const data = fromBase64(token.data)
  const ephemeralKey = fromBase64(header.ephemeralPublicKey)
  const signed = [
    ephemeralKey,
    data,
    Buffer.from(header.transactionId, 'hex'),
    Buffer.from(header.applicationData ?? '', 'hex'),
  ]
  const signedAt = refuseOnError('is not well-formed', () =>
    verifyApplePaySignature(fromBase64(token.signature), Buffer.concat(signed), trust),
  )

  const key = keys.find(({ privateKey }) => publicKeyHash(privateKey) === header.publicKeyHash)
  if (!key) throw new RefusedToken('is encrypted for another merchant')
  const content = refuseOnError('cannot be decrypted', () =>
    JSON.parse(decrypt(data, symmetricKey(key, ephemeralKey)).toString('utf8')),
  )
  if (!PaymentData.Check(content)) throw new RefusedToken('holds nothing that can be paid with')
  return {
    number: content.applicationPrimaryAccountNumber,
    expirationDate: `${content.applicationExpirationDate.slice(2, 4)}/${content.applicationExpirationDate.slice(0, 2)}`,
    cryptogram: content.paymentData.onlinePaymentCryptogram,
    eci: content.paymentData.eciIndicator?.padStart(2, '0') ?? null,
    source: 'apple-pay',
    method: 'CRYPTOGRAM_3DS',
    tokenId: header.transactionId.toLowerCase(),
    usableUntil: signedAt + FRESH_MS,
    approved: { amount: content.transactionAmount, currency: currencyOf(content.currencyCode) },
  }
}

/** The name in a token of the key for which it is encrypted. */
export const publicKeyHash = (key: KeyObject): string =>
  createHash('sha256')
    .update((key.type === 'public' ? key : createPublicKey(key)).export({ format: 'der', type: 'spki' }))
    .digest('base64')

/** Wallets send the numeric code of ISO 4217. */
function currencyOf(number: string): string {
  const currency = currencyCodes.number(number)
  if (!currency) throw new RefusedToken('is for a currency that does not exist')
  return currency.code
}

/**
 * ECDH on P-256, then the key derivation of NIST SP 800-56A §5.8.1 with one round (Apple, Restoring the
 * Symmetric Key).
 */
function symmetricKey({ privateKey, merchantIdHash }: ApplePayKey, ephemeralKey: Buffer): Buffer {
  const publicKey = createPublicKey({ key: ephemeralKey, format: 'der', type: 'spki' })
  return deriveApplePayKey(diffieHellman({ privateKey, publicKey }), merchantIdHash)
}

/** `sharedSecret`: the result of the ECDH. */
export const deriveApplePayKey = (sharedSecret: Buffer, merchantIdHash: Buffer): Buffer =>
  createHash('sha256')
    .update(Buffer.from([0, 0, 0, 1]))
    .update(sharedSecret)
    .update('\x0did-aes256-GCMApple')
    .update(merchantIdHash)
    .digest()

const TAG = 16
/** The key is used once, so the nonce may be zero. */
export const ZERO_NONCE = Buffer.alloc(16)

function decrypt(data: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, ZERO_NONCE, { authTagLength: TAG })
  decipher.setAuthTag(data.subarray(-TAG))
  return Buffer.concat([decipher.update(data.subarray(0, -TAG)), decipher.final()])
}

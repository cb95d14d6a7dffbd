import {
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import {
  applyGooglePayCipher,
  signedBytes,
  stretchGooglePaySecret,
} from '../../vault/wallet-tokens/google-pay-token.ts'

export interface GooglePayment {
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** The card's own number, or a device's with a cryptogram. */
  authMethod: 'PAN_ONLY' | 'CRYPTOGRAM_3DS'
}

export interface GoogleRecipient {
  publicKey: KeyObject
  recipientId: string
  gatewayMerchantId: string
}

const DAY_MS = 86_400_000

/**
 * The token that Google Pay returns to the page after the buyer's approval: JSON text of protocol version
 * ECv2, valid for a day.
 */
export function googlePayToken(
  payment: GooglePayment,
  recipient: GoogleRecipient,
  rootKey: KeyObject,
  now: number,
): string {
  const intermediate = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const keyValue = intermediate.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const signedKey = JSON.stringify({ keyValue, keyExpiration: String(now + DAY_MS) })
  const signedMessage = JSON.stringify(
    encrypt(recipient.publicKey, JSON.stringify(messageOf(payment, recipient, now + DAY_MS))),
  )
  return JSON.stringify({
    protocolVersion: 'ECv2',
    signature: signText(intermediate.privateKey, 'Google', recipient.recipientId, 'ECv2', signedMessage),
    intermediateSigningKey: { signedKey, signatures: [signText(rootKey, 'Google', 'ECv2', signedKey)] },
    signedMessage,
  })
}

const signText = (key: KeyObject, ...parts: string[]) =>
  sign('sha256', signedBytes(...parts), key).toString('base64')

function messageOf(
  { number, expirationDate, authMethod }: GooglePayment,
  { gatewayMerchantId }: GoogleRecipient,
  expires: number,
) {
  const [month = '', year = ''] = expirationDate.split('/')
  const proof =
    authMethod === 'CRYPTOGRAM_3DS'
      ? { cryptogram: randomBytes(20).toString('base64'), eciIndicator: '05' }
      : {}
  return {
    messageId: randomUUID(),
    messageExpiration: String(expires),
    gatewayMerchantId,
    paymentMethod: 'CARD',
    paymentMethodDetails: {
      pan: number,
      expirationMonth: Number(month),
      expirationYear: 2000 + Number(year),
      authMethod,
      ...proof,
    },
  }
}

function encrypt(publicKey: KeyObject, text: string) {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const point = pointOf(ephemeral.publicKey)
  const keys = stretchGooglePaySecret(point, diffieHellman({ privateKey: ephemeral.privateKey, publicKey }))
  const encrypted = applyGooglePayCipher(keys.encryption, Buffer.from(text))
  return {
    encryptedMessage: encrypted.toString('base64'),
    ephemeralPublicKey: point.toString('base64'),
    tag: createHmac('sha256', keys.mac).update(encrypted).digest('base64'),
  }
}

/** The uncompressed point of a public key. */
function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

import {
  createCipheriv,
  createPrivateKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import currencyCodes from 'currency-codes'
import { deriveApplePayKey, publicKeyHash, ZERO_NONCE } from '../../vault/wallet-tokens/apple-pay-token.ts'
import type { AppleSigner } from './apple-authority.ts'
import { signDetached } from './signed-data.ts'

export interface ApplePayment {
  /** The device's own number for the card. */
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Smallest unit of the currency. */
  amount: number
  /** ISO 4217, three letters. */
  currency: string
}

export interface AppleRecipient {
  publicKey: KeyObject
  /** SHA-256 of the merchant identifier. */
  merchantIdHash: Buffer
}

/**
 * The token that a device returns to the page after the buyer's approval: `paymentData` of a PKPaymentToken,
 * version EC_v1.
 */
export function applePayToken(
  payment: ApplePayment,
  recipient: AppleRecipient,
  signer: AppleSigner,
  now: number,
) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = deriveApplePayKey(
    diffieHellman({ privateKey, publicKey: recipient.publicKey }),
    recipient.merchantIdHash,
  )
  const cipher = createCipheriv('aes-256-gcm', key, ZERO_NONCE)
  const data = Buffer.concat([
    cipher.update(JSON.stringify(paymentData(payment))),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const ephemeralKey = publicKey.export({ format: 'der', type: 'spki' })
  const transactionId = randomBytes(32)
  const signerKey = createPrivateKey({ key: signer.privateKey, format: 'der', type: 'pkcs8' })
  const signature = signDetached(
    Buffer.concat([ephemeralKey, data, transactionId]),
    signer.certificates,
    signerKey,
    now,
  )
  return {
    version: 'EC_v1',
    data: data.toString('base64'),
    signature: signature.toString('base64'),
    header: {
      ephemeralPublicKey: ephemeralKey.toString('base64'),
      publicKeyHash: publicKeyHash(recipient.publicKey),
      transactionId: transactionId.toString('hex'),
    },
  }
}

const paymentData = ({ number, expirationDate, amount, currency }: ApplePayment) => ({
  applicationPrimaryAccountNumber: number,
  // the day has no meaning for charging the card
  applicationExpirationDate: `${expirationDate.slice(3)}${expirationDate.slice(0, 2)}28`,
  currencyCode: currencyCodes.code(currency)?.number ?? '',
  transactionAmount: amount,
  deviceManufacturerIdentifier: '040010030273',
  paymentDataType: '3DSecure',
  paymentData: { onlinePaymentCryptogram: randomBytes(20).toString('base64'), eciIndicator: '7' },
})

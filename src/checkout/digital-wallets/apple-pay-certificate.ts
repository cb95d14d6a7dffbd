import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import { extensionOf } from '../../vault/wallet-tokens/asn1.ts'

/**
 * Extension of a payment processing certificate: SHA-256 of the merchant identifier, in hex (Apple, Restoring
 * the Symmetric Key).
 */
const MERCHANT_ID_HASH = '1.2.840.113635.100.6.32'

/** PEM, or DER in base64. Undefined: the text is no certificate. */
export function readCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}

/**
 * For example `merchant.com.example`: Apple writes it as the user id of the subject. Undefined: the
 * certificate names no merchant.
 */
export const merchantIdentifier = ({ subject }: X509Certificate): string | undefined =>
  /^(?:UID|userId|0\.9\.2342\.19200300\.100\.1\.1)=(\S+)$/m.exec(subject)?.[1]

/** SHA-256 of the merchant identifier; undefined: the certificate names no merchant. */
export function merchantIdHash(certificate: X509Certificate): Buffer | undefined {
  const inExtension = hexOf(extensionOf(certificate.raw, MERCHANT_ID_HASH))
  if (inExtension) return inExtension
  const identifier = merchantIdentifier(certificate)
  return identifier === undefined ? undefined : createHash('sha256').update(identifier).digest()
}

/** The extension is a string of 64 hex digits after its type and length. */
function hexOf(extension: Buffer | undefined): Buffer | undefined {
  const digits = extension?.toString('latin1').slice(-64) ?? ''
  return /^[0-9a-fA-F]{64}$/.test(digits) ? Buffer.from(digits, 'hex') : undefined
}

/** Why a certificate cannot be used; undefined: it can be used. */
export function certificateProblem(
  certificate: X509Certificate,
  key: KeyObject,
  purpose: string,
  now: number,
): string | undefined {
  if (!certificate.checkPrivateKey(key)) return 'is not for the key of this request'
  if (Date.parse(certificate.validTo) <= now) return 'has expired'
  const merchant =
    purpose === 'payment-processing' ? merchantIdHash(certificate) : merchantIdentifier(certificate)
  return merchant === undefined ? 'names no merchant identifier' : undefined
}

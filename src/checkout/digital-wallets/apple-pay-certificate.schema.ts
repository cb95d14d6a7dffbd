import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Timestamp, Uuid, Words } from '../../api/schema.ts'

export const CertificatePurpose = Words('payment-processing', 'merchant-identity')

export const ApplePayCertificate = Closed('ApplePayCertificate', {
  type: Type.Literal('apple-pay-certificate'),
  id: Uuid,
  digital_wallet_id: Uuid,
  purpose: Described(
    CertificatePurpose,
    '`payment-processing`: for the key that devices encrypt for. `merchant-identity`: for the key that shows Apple who asks for a session',
  ),
  status: Words('pending', 'active', 'expired'),
  certificate_signing_request: Described(Type.String(), 'PEM; upload it in Apple’s developer account'),
  expires_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ApplePayCertificate = Static<typeof ApplePayCertificate>

export const ApplePayCertificates = Closed('ApplePayCertificates', { items: Type.Array(ApplePayCertificate) })

export const ApplePayCertificateCreate = Closed('ApplePayCertificateCreate', { purpose: CertificatePurpose })

export const ApplePayCertificateUpdate = Closed('ApplePayCertificateUpdate', {
  certificate: Described(
    Type.String({ maxLength: 20_000 }),
    'What Apple gave for the request: PEM, or DER in base64',
  ),
})

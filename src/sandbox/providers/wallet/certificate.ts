import { webcrypto } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'

/** The certificate and key that sign a simulator's notifications. */
export interface SigningCertificate {
  /** PEM. */
  certificate: string
  /** PEM. */
  privateKey: string
}

const YEAR_MS = 365 * 86_400_000
const { subtle } = webcrypto
const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}

/** Makes the certificate when it is first needed; each simulator has its own. */
export function signingCertificate(clock: Clock): () => Promise<SigningCertificate> {
  let made: Promise<SigningCertificate> | undefined
  const make = async (): Promise<SigningCertificate> => {
    // loaded on demand: megabytes that only a wallet payment needs
    const { PemConverter, X509CertificateGenerator } = await import('@peculiar/x509')
    const keys = await subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=Sandbox wallet notifications',
      serialNumber: '01',
      keys,
      signingAlgorithm: algorithm,
      // a test's clock may be ahead of the time at which the certificate is made
      notBefore: new Date(Math.min(clock.now(), Date.now()) - YEAR_MS),
      notAfter: new Date(clock.now() + 10 * YEAR_MS),
    })
    return {
      certificate: certificate.toString('pem'),
      privateKey: PemConverter.encode(await subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
    }
  }
  return () => {
    made ??= make()
    return made
  }
}

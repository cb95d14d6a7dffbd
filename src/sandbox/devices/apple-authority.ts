import { type KeyObject, webcrypto } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'

/**
 * The signer of the payment tokens of the sandbox's Apple devices: a certificate with its key, and the
 * issuing certificate.
 */
export interface AppleSigner {
  /** DER, the signer's own first. */
  certificates: Buffer[]
  /** PKCS #8 in DER. */
  privateKey: Buffer
}

const YEAR_MS = 365 * 86_400_000
const ROOT = 'CN=Sandbox Apple Root CA'
const INTERMEDIATE = 'CN=Sandbox Apple Application Integration CA'
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }
const ASN1_NULL = Buffer.from([5, 0])

/**
 * A chain like Apple's, with the same marks, under a root key of the sandbox
 * (`vault/wallet-tokens/trusted-roots.ts`).
 */
export async function makeAppleSigner(rootKey: KeyObject, clock: Clock): Promise<AppleSigner> {
  // loaded on demand: megabytes that only a sandbox's wallet payment needs
  const { BasicConstraintsExtension, Extension, X509CertificateGenerator } = await import('@peculiar/x509')
  const { subtle } = webcrypto
  const root = await subtle.importKey(
    'pkcs8',
    rootKey.export({ format: 'der', type: 'pkcs8' }),
    algorithm,
    false,
    ['sign'],
  )
  const [intermediate, leaf] = await Promise.all(
    [0, 1].map(() => subtle.generateKey(algorithm, true, ['sign', 'verify'])),
  )
  if (!(intermediate && leaf && 'publicKey' in intermediate && 'publicKey' in leaf))
    throw new Error('no key pair was made')
  // a test's clock may be ahead of the time at which the certificates are made
  const dates = {
    notBefore: new Date(Math.min(clock.now(), Date.now()) - YEAR_MS),
    notAfter: new Date(clock.now() + 10 * YEAR_MS),
  }
  const authority = await X509CertificateGenerator.create({
    ...dates,
    serialNumber: '01',
    subject: INTERMEDIATE,
    issuer: ROOT,
    publicKey: intermediate.publicKey,
    signingKey: root,
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new Extension('1.2.840.113635.100.6.2.14', false, ASN1_NULL),
    ],
  })
  const signer = await X509CertificateGenerator.create({
    ...dates,
    serialNumber: '02',
    subject: 'CN=Sandbox Apple device',
    issuer: INTERMEDIATE,
    publicKey: leaf.publicKey,
    signingKey: intermediate.privateKey,
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new Extension('1.2.840.113635.100.6.29', false, ASN1_NULL),
    ],
  })
  return {
    certificates: [signer, authority].map(({ rawData }) => Buffer.from(rawData)),
    privateKey: Buffer.from(await subtle.exportKey('pkcs8', leaf.privateKey)),
  }
}

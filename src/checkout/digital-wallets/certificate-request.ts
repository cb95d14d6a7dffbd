import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto'

const { subtle } = webcrypto

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const

/**
 * A certificate signing request (PKCS #10, RFC 2986) in PEM. Apple takes the names from its own records, so
 * the subject is only a label.
 */
export async function certificateSigningRequest(privateKey: KeyObject, commonName: string): Promise<string> {
  const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509')
  const algorithm = algorithms[privateKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec']
  const keys = {
    privateKey: await subtle.importKey(
      'pkcs8',
      privateKey.export({ format: 'der', type: 'pkcs8' }),
      algorithm,
      false,
      ['sign'],
    ),
    publicKey: await subtle.importKey(
      'spki',
      createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
      algorithm,
      true,
      ['verify'],
    ),
  }
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
  })
  return `${request.toString('pem')}\n`
}

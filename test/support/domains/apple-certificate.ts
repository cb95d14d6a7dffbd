import { createHash, webcrypto } from 'node:crypto'
import { Extension, Pkcs10CertificateRequest, X509CertificateGenerator } from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The certificate, as PEM, that Apple makes of a signing request. */
export async function signedByApple(request: string, now: number): Promise<string> {
  const merchant = createHash('sha256').update('merchant.example').digest('hex')
  const apple = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: '05',
    subject: 'CN=Shop',
    issuer: 'CN=Apple',
    notBefore: new Date(now - 86_400_000),
    notAfter: new Date(now + 86_400_000),
    publicKey: new Pkcs10CertificateRequest(request).publicKey,
    signingKey: apple.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new Extension(
        '1.2.840.113635.100.6.32',
        false,
        Buffer.concat([Buffer.from([0x0c, 64]), Buffer.from(merchant)]),
      ),
    ],
  })
  return certificate.toString('pem')
}

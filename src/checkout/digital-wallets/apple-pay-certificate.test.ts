import { createHash, webcrypto } from 'node:crypto'
import { Extension, Pkcs10CertificateRequest, X509CertificateGenerator } from '@peculiar/x509'
import { expect, test } from 'vitest'
import type { Client } from '../../../test/support/railyard.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { makeAppleSigner } from '../../sandbox/devices/apple-authority.ts'
import { applePayToken } from '../../sandbox/devices/apple-device.ts'
import { sandboxRootKey } from '../../vault/wallet-tokens/trusted-roots.ts'
import { readCertificate } from './apple-pay-certificate.ts'
import { openWalletToken } from './wallet-token.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()
const created = await merchant.post('/digital-wallets', {
  provider: 'apple',
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  accept_terms_and_conditions: true,
})
const wallet = `/digital-wallets/${created.body.id}`

const DAY_MS = 86_400_000
const merchantIdHash = createHash('sha256').update('merchant.example').digest()
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The certificate that Apple makes for a signing request, valid for `days` from now. */
async function signed(
  csr: string,
  {
    days = 30,
    extensions = [new Extension('1.2.840.113635.100.6.32', false, hexExtension())],
    subject = 'CN=Shop',
  } = {},
) {
  const apple = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: '05',
    subject,
    issuer: 'CN=Apple',
    notBefore: new Date(railyard.clock.now() - DAY_MS),
    notAfter: new Date(railyard.clock.now() + days * DAY_MS),
    publicKey: new Pkcs10CertificateRequest(csr).publicKey,
    signingKey: apple.privateKey,
    signingAlgorithm: algorithm,
    extensions,
  })
  return certificate.toString('pem')
}

/** A string of 64 hex digits, in Apple's form of the merchant's identifier. */
const hexExtension = () =>
  Buffer.concat([Buffer.from([0x0c, 64]), Buffer.from(merchantIdHash.toString('hex'))])

const requestCertificate = async (purpose = 'payment-processing') =>
  (await merchant.post(`${wallet}/certificates`, { purpose })).body
const upload = (id: string, certificate: string) =>
  merchant.put(`${wallet}/certificates/${id}`, { certificate })
const counts = async () => {
  const { active_certificate_count, pending_certificate_count, expired_certificate_count } = (
    await merchant.get(wallet)
  ).body
  return [pending_certificate_count, active_certificate_count, expired_certificate_count]
}
const deleteCertificates = async (...ids: string[]) => {
  for (const id of ids) expect((await merchant.delete(`${wallet}/certificates/${id}`)).status).toBe(204)
}

test('a certificate is requested, uploaded and counted, and a token that a device encrypts for it can be opened', async () => {
  const requested = await requestCertificate()
  expect(requested).toMatchObject({
    type: 'apple-pay-certificate',
    status: 'pending',
    expires_at: null,
    purpose: 'payment-processing',
  })
  expect(await counts()).toEqual([1, 0, 0])
  const pem = await signed(requested.certificate_signing_request)
  expect(await upload(requested.id, pem)).toMatchObject({ status: 200, body: { status: 'active' } })
  expect(await counts()).toEqual([0, 1, 0])

  const { clock, world } = railyard
  const publicKey = readCertificate(pem)?.publicKey
  if (!publicKey) throw new Error('the certificate cannot be read')
  const payment = { number: '4111111111111111', expirationDate: '12/35', amount: 1_00, currency: 'EUR' }
  const token = applePayToken(
    payment,
    { publicKey, merchantIdHash },
    await makeAppleSigner(sandboxRootKey(world), clock),
    clock.now(),
  )
  const opened = await openWalletToken(world, merchant.account, {
    method: 'applepay',
    token,
    amount: 1_00,
    currency: 'EUR',
  })
  expect(opened.number).toBe(payment.number)

  expect(await merchant.delete(wallet)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect((await merchant.get(`${wallet}/certificates`)).body.items).toMatchObject([
    { id: requested.id, status: 'active' },
  ])
  await deleteCertificates(requested.id)
  expect(await counts()).toEqual([0, 0, 0])
})

test('an expired certificate is counted as expired', async () => {
  const requested = await requestCertificate()
  await upload(requested.id, await signed(requested.certificate_signing_request, { days: 1 }))
  railyard.clock.advance(2 * DAY_MS)
  expect(await counts()).toEqual([0, 0, 1])
  await deleteCertificates(requested.id)
})

test('a merchant identity certificate is for an RSA key and names the merchant', async () => {
  const requested = await requestCertificate('merchant-identity')
  expect(
    new Pkcs10CertificateRequest(requested.certificate_signing_request).publicKey.algorithm,
  ).toMatchObject({
    name: expect.stringMatching(/^RSA/),
    modulusLength: 2048,
  })
  expect(await upload(requested.id, await signed(requested.certificate_signing_request))).toMatchObject(
    invalidFields('/certificate'),
  )
  const named = await signed(requested.certificate_signing_request, {
    subject: '0.9.2342.19200300.100.1.1=merchant.example, CN=Shop',
    extensions: [],
  })
  expect(await upload(requested.id, named)).toMatchObject({ status: 200 })
  await deleteCertificates(requested.id)
})

test('a text that is no certificate, and a certificate for another key, without a merchant, or expired, are refused', async () => {
  const [own, other] = [await requestCertificate(), await requestCertificate()]
  const wrong = [
    'none',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    await signed(other.certificate_signing_request),
    await signed(own.certificate_signing_request, { extensions: [] }),
    await signed(own.certificate_signing_request, { days: -0.5 }),
  ]
  for (const certificate of wrong)
    expect(await upload(own.id, certificate)).toMatchObject(invalidFields('/certificate'))
  expect(await counts()).toEqual([2, 0, 0])
  await deleteCertificates(own.id, other.id)
})

test('the private key is in no answer and no log, and is sealed for its row', async () => {
  const requested = await requestCertificate()
  const row = await railyard.world.db
    .selectFrom('apple_pay_certificates')
    .selectAll()
    .where('id', '=', requested.id)
    .executeTakeFirstOrThrow()
  expect(row.sealed.toString('latin1')).not.toContain('PRIVATE KEY')
  expect(JSON.stringify([requested, railyard.logged])).not.toContain('PRIVATE KEY')
  await deleteCertificates(requested.id)
})

test('a wallet of another provider has no certificates', async () => {
  const { body } = await merchant.post('/digital-wallets', {
    provider: 'google',
    merchant_name: 'Shop',
    accept_terms_and_conditions: true,
  })
  expect(
    await merchant.post(`/digital-wallets/${body.id}/certificates`, { purpose: 'merchant-identity' }),
  ).toMatchObject({ status: 400 })
})

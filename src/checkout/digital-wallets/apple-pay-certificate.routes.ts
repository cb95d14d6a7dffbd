import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { credentialsApproval } from '../../configured-services/service-approval.ts'
import {
  ApplePayCertificate,
  ApplePayCertificateCreate,
  ApplePayCertificates,
  ApplePayCertificateUpdate,
} from './apple-pay-certificate.schema.ts'
import {
  deleteCertificate,
  listCertificates,
  requestCertificate,
  uploadCertificate,
} from './apple-pay-certificate.store.ts'
import { findDigitalWallet } from './digital-wallet.store.ts'

const tags = ['Digital wallets - Setup']
const wallet = Type.Object({ digital_wallet_id: Uuid })
const certificate = Type.Object({ digital_wallet_id: Uuid, certificate_id: Uuid })
const read = { scopes: ['apple-pay-certificates.read'] }
const write = { scopes: ['apple-pay-certificates.write'] }
const approval = credentialsApproval({
  type: 'digital-wallet',
  table: 'digital_wallets',
  parameter: 'digital_wallet_id',
  members: [],
})

export const applePayCertificateRoutes: Routes = (app, world) => {
  app.get(
    '/digital-wallets/:digital_wallet_id/certificates',
    {
      config: read,
      schema: {
        operationId: 'list_apple_pay_certificates',
        summary: 'List Apple Pay certificates',
        description: 'The certificates of an Apple wallet, the newest first. Their keys are never answered.',
        tags,
        headers,
        params: wallet,
        response: { 200: ApplePayCertificates },
      },
    },
    async ({ params: { digital_wallet_id: id }, account }) => {
      if (!(await findDigitalWallet(world, account, id))) throw notFound()
      return { items: await listCertificates(world, account, id) }
    },
  )

  app.post(
    '/digital-wallets/:digital_wallet_id/certificates',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'create_apple_pay_certificate',
        summary: 'Ask for an Apple Pay certificate',
        description:
          'Makes a key, which is sealed and never answered, and the signing request with which Apple makes its certificate.',
        tags,
        headers,
        params: wallet,
        body: ApplePayCertificateCreate,
        response: { 201: ApplePayCertificate },
      },
    },
    async ({ params, body, account }, reply) =>
      reply.code(201).send(await requestCertificate(world, account, params.digital_wallet_id, body.purpose)),
  )

  app.put(
    '/digital-wallets/:digital_wallet_id/certificates/:certificate_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_apple_pay_certificate',
        summary: 'Upload an Apple Pay certificate',
        description: 'Takes what Apple made of the signing request; the certificate is in use from then on.',
        tags,
        headers,
        params: certificate,
        body: ApplePayCertificateUpdate,
        response: { 200: ApplePayCertificate },
      },
    },
    async ({ params, body, account }) =>
      uploadCertificate(world, account, params.digital_wallet_id, params.certificate_id, body.certificate),
  )

  app.delete(
    '/digital-wallets/:digital_wallet_id/certificates/:certificate_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_apple_pay_certificate',
        summary: 'Delete an Apple Pay certificate',
        description:
          'Forgets the certificate and its key. What devices encrypt for it can no longer be opened.',
        tags,
        headers,
        params: certificate,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteCertificate(world, account, params.digital_wallet_id, params.certificate_id)))
        throw notFound()
      return reply.code(204).send(null)
    },
  )
}

import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { applePaySession } from './apple-session.ts'
import { gatewayMerchantId, googlePayAuthorization } from './google-pay.ts'
import { ApplePaySession, ApplePaySessionRequest, GooglePaySession, GooglePaySessionRequest } from './wallet-session.schema.ts'

const tags = ['Digital wallets - Sessions']
const config = { scopes: ['digital-wallets.write', 'embed'] }

export const walletSessionRoutes: Routes = (app, world) => {
  app.post(
    '/digital-wallets/google/session',
    {
      config,
      schema: {
        operationId: 'create_google_pay_digital_wallet_session',
        summary: 'Create a Google Pay session',
        description: 'What a page needs to ask for Google Pay. It needs no registered wallet.',
        tags,
        headers,
        body: GooglePaySessionRequest,
        response: { 200: GooglePaySession },
      },
    },
    async ({ account, body }) => ({
      gateway_merchant_id: gatewayMerchantId(world, account),
      token: await googlePayAuthorization(world, account, body.origin_domain),
    }),
  )

  app.post(
    '/digital-wallets/apple/session',
    {
      config,
      schema: {
        operationId: 'create_apple_pay_digital_wallet_session',
        summary: 'Create an Apple Pay session',
        description: 'Asks Apple for a session in the merchant’s name. In the sandbox Apple is not asked.',
        tags,
        headers,
        body: ApplePaySessionRequest,
        response: { 200: ApplePaySession },
      },
    },
    async ({ account, body }) => applePaySession(world, account, body.validation_url, body.domain_name),
  )
}

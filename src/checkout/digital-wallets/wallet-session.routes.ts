import { limitRate } from '../../api/auth/rate-limit.ts'
import { badRequest, notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { findSessionForBrowser } from '../sessions/checkout-session.store.ts'
import { applePaySession } from './apple-pay-session.ts'
import { findWalletOfProvider } from './digital-wallet.store.ts'
import { gatewayMerchantId, googlePayAuthorization } from './google-pay.ts'
import {
  ApplePaySession,
  ApplePaySessionRequest,
  ClickToPaySession,
  ClickToPaySessionRequest,
  GooglePaySession,
  GooglePaySessionRequest,
} from './wallet-session.schema.ts'

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
        description: 'The values that a page needs for Google Pay. It needs no registered wallet.',
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

  app.post(
    '/digital-wallets/click-to-pay/session',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'create_click_to_pay_digital_wallet_session',
        summary: 'Create a Click to Pay session',
        description:
          'The values that a page needs for Click to Pay. Its checkout session is the credential: one that does not exist, or has expired, is a 404.',
        tags,
        body: ClickToPaySessionRequest,
        response: { 200: ClickToPaySession },
      },
    },
    async ({ body }, reply) => {
      const session = await findSessionForBrowser(world, body.checkout_session_id)
      if (!session) throw notFound()
      reply.headers(
        await limitRate(world.run, world.machineClock, `checkout-session/${session.id}/click-to-pay`),
      )
      const wallet = await findWalletOfProvider(world, session.merchant_account_id, 'click-to-pay')
      if (!wallet) throw badRequest('Click to Pay is not set up: POST /digital-wallets')
      const registered = wallet.extra_configuration?.['digital_payment_application_id']
      return {
        digital_payment_application_id: typeof registered === 'string' ? registered : wallet.id,
        digital_payment_application_name: wallet.merchant_display_name || wallet.merchant_name,
      }
    },
  )
}

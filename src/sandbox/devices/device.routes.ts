import { createPublicKey } from 'node:crypto'
import { Type } from 'typebox'
import { invalid } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Amount, CardExpiry, Closed, Currency, Described, Open, Words } from '../../api/schema.ts'
import { sandboxApplePayKey } from '../../checkout/digital-wallets/apple-pay.ts'
import { googlePayRecipient } from '../../checkout/digital-wallets/google-pay.ts'
import { isCurrency } from '../../payment-services/definitions/definition.ts'
import { passesLuhn } from '../../vault/cards/luhn.ts'
import { sandboxRootKey } from '../../vault/wallet-tokens/trusted-roots.ts'
import { type AppleSigner, makeAppleSigner } from './apple-authority.ts'
import { applePayToken } from './apple-device.ts'
import { googlePayToken } from './google-device.ts'

const tags = ['Sandbox']
const config = { scopes: ['digital-wallets.write'] }

const card = {
  number: Type.Optional(
    Type.String({
      pattern: '^\\d+$',
      minLength: 13,
      maxLength: 19,
      description: 'Absent: a card that is always accepted',
    }),
  ),
  expiration_date: Type.Optional(CardExpiry),
}
const AppleApproval = Closed('SandboxApplePayApproval', { ...card, amount: Amount, currency: Currency })
const GoogleApproval = Closed('SandboxGooglePayApproval', {
  ...card,
  auth_method: Type.Optional(
    Described(
      Words('PAN_ONLY', 'CRYPTOGRAM_3DS'),
      'A card of the buyer’s account, or one on the device; absent: on the device',
    ),
  ),
})

/**
 * The sandbox's devices: they return the token that a buyer's wallet returns to the page after the approval.
 * Sandbox only.
 */
export const walletDeviceRoutes: Routes = (app, world) => {
  let signer: Promise<AppleSigner> | undefined

  app.post(
    '/sandbox/wallets/apple/token',
    {
      config,
      schema: {
        operationId: 'create_sandbox_apple_pay_token',
        summary: 'Approve a payment with Apple Pay',
        description:
          'The encrypted token of a buyer who approves this amount: `payment_method: {"method": "applepay", "token": …}`. Good for five minutes, once.',
        tags,
        headers,
        body: AppleApproval,
        response: { 200: Closed('SandboxApplePayToken', { token: Open }) },
      },
    },
    async ({ account, body }) => {
      const { amount, currency } = body
      if (!isCurrency(currency)) throw invalid({ '/currency': `${currency} does not exist` })
      const { privateKey, merchantIdHash } = sandboxApplePayKey(world, account)
      signer ??= makeAppleSigner(sandboxRootKey(world), world.clock)
      const recipient = { publicKey: createPublicKey(privateKey), merchantIdHash }
      return {
        token: {
          ...applePayToken({ ...cardOf(body), amount, currency }, recipient, await signer, world.clock.now()),
        },
      }
    },
  )

  app.post(
    '/sandbox/wallets/google/token',
    {
      config,
      schema: {
        operationId: 'create_sandbox_google_pay_token',
        summary: 'Approve a payment with Google Pay',
        description:
          'The encrypted token of a buyer who approves: `payment_method: {"method": "googlepay", "token": …}`. Good for a day, once.',
        tags,
        headers,
        body: GoogleApproval,
        response: { 200: Closed('SandboxGooglePayToken', { token: Type.String() }) },
      },
    },
    async ({ account, body }) => {
      const { recipientId, gatewayMerchantId, privateKeys } = googlePayRecipient(world, account)
      const [privateKey] = privateKeys
      if (!privateKey) throw new Error('the gateway has no key')
      const recipient = { recipientId, gatewayMerchantId, publicKey: createPublicKey(privateKey) }
      const payment = { ...cardOf(body), authMethod: body.auth_method ?? ('CRYPTOGRAM_3DS' as const) }
      return { token: googlePayToken(payment, recipient, sandboxRootKey(world), world.clock.now()) }
    },
  )
}

function cardOf({
  number = '4111111111111111',
  expiration_date: expirationDate = '12/35',
}: {
  number?: string
  expiration_date?: string
}) {
  const month = Number(expirationDate.slice(0, 2))
  const problems = {
    ...(!passesLuhn(number) && { '/number': 'is not a valid card number' }),
    ...((month < 1 || month > 12) && { '/expiration_date': 'must have a month from 01 to 12' }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return { number, expirationDate }
}

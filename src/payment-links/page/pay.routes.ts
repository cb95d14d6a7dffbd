import { type Limit, limitRates } from '../../api/auth/rate-limit.ts'
import { ApiError, badRequest, invalid, orNotFound } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import { attemptLimits } from '../../checkout/cards/card-attempts.ts'
import { applePaySession } from '../../checkout/digital-wallets/apple-pay-session.ts'
import { deleteCheckoutSession } from '../../checkout/sessions/checkout-session.store.ts'
import { abandonApproval } from '../../transactions/approval/approval.ts'
import type { World } from '../../world.ts'
import { type LinkMethod, payLink } from '../pay-link.ts'
import { findLinkByToken, findPaymentLink } from '../payment-link.store.ts'
import { linkUrl, type PaymentLinkRow } from '../payment-link.ts'
import { isCardSession, openCardSession } from './card-session.ts'
import {
  isExhausted,
  type LinkState,
  readLinkState,
  type ScriptLinkState,
  stateOfPayment,
  toScriptState,
} from './link-state.ts'
import { pageDomain } from './page-domain.ts'
import { ApplePaySessionRequest, PayRequest, LinkParams as params, SessionRequest } from './pay.schema.ts'
import { readPaymentChoices } from './payment-choices.ts'
import { chooseWords } from './words/choose.ts'

const config = { scopes: 'public' } as const
const rate = { limit: 50, message: 'Too many requests with this payment link' }

/**
 * The requests of the page's script; they are no part of the API. The link's token is the credential. There
 * is no cookie that another site could use, and bodies are JSON, which no form sends.
 */
export const payRoutes: Routes = (app, world) => {
  app.post(
    '/pay/:token/sessions',
    { config, schema: { hide: true, params, body: SessionRequest } },
    async ({ params: { token }, body }, reply) => {
      const link = await requireLink(world, token)
      // limited, since a thief who tries stolen cards needs many sessions
      reply.headers(await limitPageRequests(world, link, 'sessions'))
      if (link.status !== 'active') throw badRequest('The payment link cannot be paid now')
      return openCardSession(world, link, body.name)
    },
  )

  app.post(
    '/pay/:token/apple-pay-sessions',
    { config, schema: { hide: true, params, body: ApplePaySessionRequest } },
    async ({ params: { token }, body }, reply) => {
      const link = await requireLink(world, token)
      reply.headers(await limitPageRequests(world, link, 'sessions'))
      if (link.status !== 'active') throw badRequest('The payment link cannot be paid now')
      return applePaySession(world, link.merchant_account_id, body.validation_url, pageDomain(world))
    },
  )

  app.post(
    '/pay/:token/payments',
    { config, schema: { hide: true, params, body: PayRequest } },
    async (request, reply): Promise<ScriptLinkState> => {
      const { body, headers } = request
      const { token } = request.params
      const link = await requireLink(world, token)
      const address = clientAddress(request)
      reply.headers(
        await limitPageRequests(
          world,
          link,
          'payments',
          attemptLimits(world, { account: link.merchant_account_id, address }),
        ),
      )
      const key = headers['idempotency-key']
      const payment = {
        method: await requireOfferedMethod(world, link, body),
        redirectUrl: linkUrl(world, token),
        browserInfo: body.browser_info ?? null,
        ipAddress: address,
        key: typeof key === 'string' ? key : undefined,
      }
      const state = await payOnce(world, link, () => payLink(world, link, payment))
      // each attempt has a session of its own, so the card in this one is not needed any more
      if ('checkout_session_id' in body)
        await deleteCheckoutSession(world, link.merchant_account_id, body.checkout_session_id)
      return toScriptState(state)
    },
  )

  app.get(
    '/pay/:token/status',
    { config, schema: { hide: true, params } },
    async ({ params: { token } }, reply): Promise<ScriptLinkState> => {
      const link = await requireLink(world, token)
      reply.headers(await limitPageRequests(world, link, 'status'))
      // the page asks for the status while it waits for the last attempt
      return toScriptState(await readLinkState(world, link, link.transaction_id))
    },
  )

  app.post(
    '/pay/:token/abandon',
    { config, schema: { hide: true, params } },
    async ({ params: { token } }, reply): Promise<ScriptLinkState> => {
      const link = await requireLink(world, token)
      reply.headers(await limitPageRequests(world, link, 'payments'))
      const { merchant_account_id: account, transaction_id: payment } = link
      if (link.status === 'processing' && payment !== null) await abandonApproval(world, account, payment)
      return toScriptState(await readLinkState(world, await requireLink(world, token), null))
    },
  )
}

async function requireLink(world: World, token: string): Promise<PaymentLinkRow> {
  return orNotFound(await findLinkByToken(world, token))
}

const limitPageRequests = async (
  world: World,
  { id }: PaymentLinkRow,
  request: 'sessions' | 'payments' | 'status',
  further: Limit[] = [],
) => ({
  ...(await limitRates(
    world.run,
    world.machineClock,
    { ...rate, key: `payment-link/${id}/${request}` },
    ...further,
  )),
  'cache-control': 'no-store',
})

/** Pays the link. If a payment from another tab was faster, answers the state that follows from that one. */
async function payOnce(
  world: World,
  link: PaymentLinkRow,
  pay: () => ReturnType<typeof payLink>,
): Promise<LinkState> {
  try {
    const state = stateOfPayment(link, await pay())
    // this decline may have been the link's last
    return state.state === 'declined' ? ((await readExhaustedState(world, link)) ?? state) : state
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const now = (await findPaymentLink(world, link.merchant_account_id, link.id)) ?? link
    if (now.status === 'active') throw error
    return readLinkState(world, now, null)
  }
}

async function readExhaustedState(
  world: World,
  { merchant_account_id: account, id }: PaymentLinkRow,
): Promise<LinkState | undefined> {
  const now = await findPaymentLink(world, account, id)
  return now && isExhausted(now) ? { state: 'exhausted' } : undefined
}

/** The payment method of a request. Throws 400 for one that the page does not offer. */
async function requireOfferedMethod(
  world: World,
  link: PaymentLinkRow,
  body: PayRequest,
): Promise<LinkMethod> {
  const { options, stored, applePay, googlePay } = await readPaymentChoices(
    world,
    link,
    chooseWords(link.details.locale ?? null, undefined),
  )
  if ('checkout_session_id' in body) {
    const { checkout_session_id: id, proof } = body
    if (!isCardSession(world, link, { id, proof }))
      throw invalid({ '/checkout_session_id': 'is not a session of this payment link' })
    if (!options.some(({ mode }) => mode === 'card'))
      throw invalid({ '/checkout_session_id': 'cards are not taken' })
    return { method: 'checkout-session', id }
  }
  if ('payment_method_id' in body) {
    const { payment_method_id: id } = body
    if (!stored.some((method) => method.id === id))
      throw invalid({ '/payment_method_id': 'is not a payment method of this buyer' })
    return { method: 'id', id }
  }
  if (body.method === 'applepay' || body.method === 'googlepay') {
    const { browser_info: _, ...method } = body
    if (!(method.method === 'applepay' ? applePay : googlePay)) throw invalid({ '/method': 'is not offered' })
    return method
  }
  if (!options.some(({ method, mode }) => method === body.method && mode === 'redirect'))
    throw invalid({ '/method': 'is not offered' })
  return { method: body.method }
}

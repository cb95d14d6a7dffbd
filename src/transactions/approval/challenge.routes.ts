import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import type { App } from '../../api/app.ts'
import { notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { reportUrl } from '../../page/hosted-page.ts'
import type { World } from '../../world.ts'
import { readTransaction } from '../transaction.store.ts'
import { isReturnToken } from './approval-links.ts'
import { challengePage, challengePolicy } from './challenge.page.ts'
import { openChallengeOf } from './challenge.ts'
import { completeReturn, limitReturnRate, redirectToMerchant } from './return.routes.ts'

const params = Type.Object({ merchant_account_id: Type.String(), transaction_id: Uuid, token: Type.String() })

/**
 * A cardholder's way to the card's issuer and back (EMV 3DS 2.x): Railyard's page is the payment's
 * `approval_url`. What the issuer's page posts on the return is not read: Railyard asks the 3DS server. A
 * second or late visit changes nothing.
 */
export const challengeRoutes: Routes = (app, world) => {
  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 64 * 1024 }, (_request, _body, done) =>
      done(null, undefined),
    )
    scope.get(
      '/approvals/:merchant_account_id/:transaction_id/:token/challenge',
      { config: { scopes: 'public' }, schema: { hide: true, params } },
      async ({ params: { merchant_account_id: account, transaction_id: id, token }, headers }, reply) => {
        if (!isReturnToken(world, account, id, token)) throw notFound()
        return showChallenge(world, account, id, headers['accept-language'], reply)
      },
    )
    scope.route({
      method: ['GET', 'POST'],
      url: '/approvals/:merchant_account_id/:transaction_id/:token/authenticated',
      config: { scopes: 'public' },
      schema: { hide: true, params },
      handler: async ({ params: { merchant_account_id: account, transaction_id: id, token } }, reply) => {
        if (!isReturnToken(world, account, id, token)) throw notFound()
        await limitReturnRate(world, id)
        return redirectToMerchant(world, reply, await completeReturn(world, account, id, 'approved'))
      },
    })
  })
}

/** The page while the transaction waits for its cardholder; afterwards a redirect to the merchant's page. */
async function showChallenge(
  world: World,
  account: string,
  id: string,
  languages: string | undefined,
  reply: FastifyReply,
) {
  const row = await readTransaction(world, account, id)
  const challenge = openChallengeOf(row)
  if (!challenge) return redirectToMerchant(world, reply, row)
  const merchant = await cachedMerchantAccount(world, account)
  const page = challengePage({
    merchant: merchant?.display_name ?? account,
    amount: row.amount,
    currency: row.currency,
    locale: languages?.split(',')[0]?.split(';')[0] ?? 'en',
    acsUrl: challenge.acs_url,
    creq: challenge.creq,
  })
  const policy = [...challengePolicy, `report-uri ${reportUrl(world, account, 'challenge')}`]
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(page)
}

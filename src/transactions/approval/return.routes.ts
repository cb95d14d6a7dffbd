import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { limitRate } from '../../api/auth/rate-limit.ts'
import { ApiError, notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Open, Uuid, Words } from '../../api/schema.ts'
import type { World } from '../../world.ts'
import { completeApprovalAndReview } from '../review/review.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { abandonApproval, type ReturnedParameters } from './approval.ts'
import { isReturnToken, type ReturnResult } from './approval-links.ts'
import { openRedirectUrl } from './redirect-url.ts'

/**
 * The page to which the payment service sends the buyer's browser. It redirects to the merchant's
 * `redirect_url`, whatever the outcome of the payment (semantics §3.12). A visit proves nothing: Railyard
 * asks the payment service. A second visit, or a browser that prefetches the link, changes nothing.
 */
export const returnRoutes: Routes = (app, world) => {
  app.get(
    '/approvals/:merchant_account_id/:transaction_id/:token/:result',
    {
      config: { scopes: 'public' },
      schema: {
        hide: true,
        params: Type.Object({
          merchant_account_id: Type.String(),
          transaction_id: Uuid,
          token: Type.String(),
          result: Words('approved', 'cancelled', 'failed'),
        }),
        // what the provider's page adds
        querystring: Open,
      },
    },
    async ({ params: { merchant_account_id: account, transaction_id: id, token, result }, query }, reply) => {
      if (!isReturnToken(world, account, id, token)) throw notFound()
      await limitReturnRate(world, id)
      return redirectToMerchant(world, reply, await completeReturn(world, account, id, result, query))
    },
  )
}

/** Each return of a buyer makes Railyard ask the payment service, so returns have a limit. */
export const limitReturnRate = async (world: World, transaction: string): Promise<void> =>
  void (await limitRate(world.run, world.machineClock, `approval/${transaction}`, {
    limit: 50,
    message: 'Too many requests with this link',
  }))

/**
 * Redirects to the merchant's page with the payment's status. Throws 404 if the payment has no
 * `redirect_url`.
 */
export function redirectToMerchant(world: Pick<World, 'cipher'>, reply: FastifyReply, row: TransactionRow) {
  const redirect_url = row.approval?.redirect_url ?? null
  if (redirect_url === null) throw notFound()
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  // a payment link's URL is a credential, and stored sealed
  const url =
    row.payment_link_id === null
      ? redirect_url
      : openRedirectUrl(world, row.merchant_account_id, redirect_url)
  return reply.redirect(withTransactionStatus(url, row), 303)
}

/**
 * Continues the payment of a buyer who has returned. If the payment service does not answer now, recovery
 * continues it after the redirect.
 */
export async function completeReturn(
  world: World,
  account: string,
  id: string,
  result: ReturnResult,
  returned: ReturnedParameters = {},
): Promise<TransactionRow> {
  if (result === 'cancelled') return abandonApproval(world, account, id)
  try {
    return await completeApprovalAndReview(world, account, id, undefined, returned)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 425 || error.status === 504))
      return readTransaction(world, account, id)
    throw error
  }
}

/** A merchant's URL with the payment's id and status in the query (semantics §3.12). */
export function withTransactionStatus(
  redirectUrl: string,
  { id, status }: Pick<TransactionRow, 'id' | 'status'>,
): string {
  const url = new URL(redirectUrl)
  // append, as setting parameters would encode the merchant's own query again
  url.search += `${url.search ? '&' : ''}${new URLSearchParams({ svc_transaction_id: id, svc_transaction_status: status })}`
  return url.href
}

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { limitRate } from '../../api/auth/rate-limit.ts'
import { ApiError, notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid, Words } from '../../api/schema.ts'
import type { World } from '../../world.ts'
import { completeApprovalAndReview } from '../review/review.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { abandonApproval } from './approval.ts'
import { isReturnToken, openRedirectUrl, type ReturnResult } from './approval-links.ts'

/**
 * Where the payment service sends the buyer's browser after its page. The buyer goes on to the merchant's `redirect_url`, whatever became of the
 * payment (SEMANTICS §3.12). That a browser comes here proves nothing: the payment service is asked. Coming twice, or a browser that loads
 * the link ahead of time, changes nothing.
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
      },
    },
    async ({ params: { merchant_account_id: account, transaction_id: id, token, result } }, reply) => {
      if (!isReturnToken(world, account, id, token)) throw notFound()
      await limitReturnRate(world, id)
      return redirectToMerchant(world, reply, await completeReturn(world, account, id, result))
    },
  )
}

/** Each time that a buyer comes back, the payment service is asked. */
export const limitReturnRate = async (world: World, transaction: string): Promise<void> =>
  void (await limitRate(world.run, world.machineClock, `approval/${transaction}`, { limit: 50, message: 'Too many requests with this link' }))

/** To the merchant's page, with what became of the payment. */
export function redirectToMerchant(world: Pick<World, 'cipher'>, reply: FastifyReply, row: TransactionRow) {
  const redirect_url = row.approval?.redirect_url ?? null
  if (redirect_url === null) throw notFound()
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  // that of a payment link is a credential
  const url = row.payment_link_id === null ? redirect_url : openRedirectUrl(world, row.merchant_account_id, redirect_url)
  return reply.redirect(withTransactionStatus(url, row), 303)
}

/** The buyer is sent on even where the payment service does not answer just now: the payment goes on without them. */
export async function completeReturn(world: World, account: string, id: string, result: ReturnResult): Promise<TransactionRow> {
  if (result === 'cancelled') return abandonApproval(world, account, id)
  try {
    return await completeApprovalAndReview(world, account, id)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 425 || error.status === 504)) return readTransaction(world, account, id)
    throw error
  }
}

/** A merchant's URL with what became of the payment (SEMANTICS §3.12). */
export function withTransactionStatus(redirectUrl: string, { id, status }: Pick<TransactionRow, 'id' | 'status'>): string {
  const url = new URL(redirectUrl)
  // the merchant's own query stays as it was written
  url.search += `${url.search ? '&' : ''}${new URLSearchParams({ svc_transaction_id: id, svc_transaction_status: status })}`
  return url.href
}

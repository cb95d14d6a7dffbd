import { Type } from 'typebox'
import { notFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Nullable, Text, Uuid } from '../api/schema.ts'
import { elementsUrl } from '../page/elements-url.ts'
import { isReturnToken } from '../transactions/approval/approval-links.ts'
import { openChallengeOf } from '../transactions/approval/challenge.ts'
import {
  completeReturn,
  limitReturnRate,
  withTransactionStatus,
} from '../transactions/approval/return.routes.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import { TransactionStatus } from '../transactions/transaction.schema.ts'
import { readTransaction } from '../transactions/transaction.store.ts'
import { isAllowedOrigin } from './allowed-origins.ts'
import { returnedDocument } from './checkout.page.ts'
import { allowedOriginsOf } from './elements-configuration.store.ts'
import { requireElementsHost } from './elements-host.ts'
import { frameHeaders } from './frame-headers.ts'
import { chooseCheckoutWords } from './words/choose.ts'

const params = Type.Object({ merchant_account_id: Type.String(), transaction_id: Uuid, token: Type.String() })

const Approval = Type.Object({
  status: Type.String(),
  intent_outcome: Type.String(),
  error_code: Nullable(Type.String()),
  challenge: Nullable(Type.Object({ acs_url: Type.String(), creq: Type.String() })),
})

/**
 * The buyer's approval of a card payment within the merchant's page. The credential is that of the payment's
 * `approval_url`; nothing more can be done with it than at that URL.
 */
export const approvalRoutes: Routes = (app, world) => {
  const show = (row: TransactionRow) => {
    const challenge = openChallengeOf(row)
    return {
      status: row.status,
      intent_outcome: row.intent_outcome,
      error_code: row.error_code,
      challenge: challenge ? { acs_url: challenge.acs_url, creq: challenge.creq } : null,
    }
  }

  app.get(
    '/elements/approvals/:merchant_account_id/:transaction_id/:token',
    { config: { scopes: 'public' }, schema: { hide: true, params, response: { 200: Approval } } },
    async (request, reply) => {
      const { merchant_account_id: account, transaction_id: id, token } = request.params
      requireElementsHost(world, request)
      if (!isReturnToken(world, account, id, token)) throw notFound()
      await limitReturnRate(world, id)
      reply.header('cache-control', 'no-store')
      return show(await readTransaction(world, account, id))
    },
  )

  app.post(
    '/elements/approvals/:merchant_account_id/:transaction_id/:token/cancel',
    { config: { scopes: 'public' }, schema: { hide: true, params, response: { 200: Approval } } },
    async (request, reply) => {
      const { merchant_account_id: account, transaction_id: id, token } = request.params
      requireElementsHost(world, request)
      if (!isReturnToken(world, account, id, token)) throw notFound()
      await limitReturnRate(world, id)
      reply.header('cache-control', 'no-store')
      return show(await completeReturn(world, account, id, 'cancelled'))
    },
  )

  app.get(
    '/elements/returned/:merchant_account_id',
    {
      config: { scopes: 'public' },
      schema: {
        hide: true,
        params: Type.Object({ merchant_account_id: Type.String() }),
        querystring: Type.Object({
          parent: Text(1, 300),
          to: Text(1, 2_000),
          locale: Type.Optional(Text(1, 50)),
          svc_transaction_id: Type.Optional(Type.String()),
          svc_transaction_status: Type.Optional(TransactionStatus),
        }),
      },
    },
    async (request, reply) => {
      requireElementsHost(world, request)
      const { merchant_account_id: account } = request.params
      const { parent, to, locale, svc_transaction_id, svc_transaction_status } = request.query
      const allowed = await allowedOriginsOf(world, account)
      const isAllowed = (origin: string) => isAllowedOrigin(world, allowed, origin)
      const target = URL.canParse(to) && isAllowed(new URL(to).origin) ? to : undefined
      const isOver = svc_transaction_id !== undefined && svc_transaction_status !== undefined
      const onward =
        target && isOver
          ? withTransactionStatus(target, { id: svc_transaction_id, status: svc_transaction_status })
          : target
      const words = chooseCheckoutWords(locale, request.headers['accept-language'])
      return reply
        .type('text/html; charset=utf-8')
        .headers(
          frameHeaders(world, account, {
            page: 'checkout',
            ancestors: isAllowed(parent) ? `'self' ${parent}` : "'none'",
          }),
        )
        .send(returnedDocument(elementsUrl(world), words, onward))
    },
  )
}

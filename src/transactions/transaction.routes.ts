import { Type } from 'typebox'
import { type Caller, canUseScope, hasEmbedToken } from '../api/auth/caller.ts'
import { forbidden } from '../api/errors.ts'
import { idempotencyHeaders, merchantAccountHeader } from '../api/headers.ts'
import { pageOf, readPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import { withoutFingerprint } from '../vault/cards/card-fingerprint.ts'
import type { World } from '../world.ts'
import { correctsMoney, correctTransaction } from './actions/correct-transaction.ts'
import { buyerAddress } from './create/buyer-address.ts'
import { applyCheckoutSession } from './create/checkout-session.ts'
import { createTransaction } from './create/create-transaction.ts'
import { readDraft } from './create/draft.ts'
import { answerTransactionOnce } from './idempotency.ts'
import { syncTransaction } from './outcome/sync-transaction.ts'
import type { TransactionRow } from './transaction.row.ts'
import { Transaction, TransactionCreate, TransactionSummaries, TransactionUpdate } from './transaction.schema.ts'
import { readTransaction } from './transaction.store.ts'
import { DescribedQuery } from './views/transaction.filters.ts'
import { listTransactions } from './views/transaction.list.ts'
import { showTransaction, transactionSummary } from './views/transaction.representation.ts'

export const transactionParams = Type.Object({ transaction_id: Uuid })

const cursorPosition = (row: TransactionRow) => ({ key: row.updated_at, id: row.id })

export const transactionRoutes: Routes = (app, world) => {
  app.get(
    '/transactions',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'list_transactions',
        summary: 'List transactions',
        description:
          'The account’s transactions, the most recently updated first. Values of one filter are alternatives, different filters all apply.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        querystring: DescribedQuery,
        response: { 200: TransactionSummaries },
      },
    },
    async ({ account, query: { cursor, limit, ...filters } }) => {
      const list = `transactions/${account}/${JSON.stringify(filters)}`
      const page = readPage(world.cipher, list, { cursor: cursor ?? null, limit: limit ?? 20 })
      return pageOf(world.cipher, list, page, await listTransactions(world, account, filters, page), cursorPosition, transactionSummary)
    },
  )

  app.post(
    '/transactions',
    {
      config: { scopes: ['transactions.write', 'embed'] },
      schema: {
        operationId: 'create_transaction',
        summary: 'Create a transaction',
        description:
          'Authorizes a payment, or takes it at once with the intent `capture`. A decline is a 201 with the status `authorization_failed` and an `error_code`; `processing` means that the outcome is not known yet: ask with GET or sync.',
        tags: ['Transactions'],
        headers: idempotencyHeaders,
        body: TransactionCreate,
        response: { 201: Transaction },
      },
    },
    async (request, reply) => {
      const { account, body, caller } = request
      const fromBrowser = hasEmbedToken(caller)
      const keyed = {
        account,
        scope: 'POST /transactions',
        key: request.headers['idempotency-key'] ?? undefined,
        body,
        representation: 'created-transaction',
      } as const
      countCardAttempts(world, account, body)
      const answer = await answerTransactionOnce(world, keyed, async (claim) => {
        // read in here: what was in time when it was first asked may have expired when it is repeated
        const { input, session } = await applyCheckoutSession(world, account, body, caller)
        const draft = readDraft(input, world)
        const ipAddress = buyerAddress(request)
        return createTransaction(world, { account, body: body, draft, session, fromBrowser, ipAddress, claim, path: '/transactions' })
      })
      return reply.code(201).send(withoutHiddenFields(caller, answer.body as Transaction))
    },
  )

  app.get(
    '/transactions/:transaction_id',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'get_transaction',
        summary: 'Get a transaction',
        description: 'The transaction as it is now.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Transaction },
      },
    },
    async ({ account, params }) => showTransaction(await readTransaction(world, account, params.transaction_id)),
  )

  app.put(
    '/transactions/:transaction_id',
    {
      config: { scopes: ['transactions.write'] },
      schema: {
        operationId: 'update_transaction',
        summary: 'Correct a transaction',
        description:
          'Changes what the merchant knows better, such as the external identifier or metadata. Amounts and the status need the scope `transactions.correct` (`*.write` covers it), and are corrected in our books only: nothing is sent to the payment service. They are refused while an operation, the buyer’s approval or a review is pending. A request that changes nothing writes nothing.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        body: TransactionUpdate,
        response: { 200: Transaction },
      },
    },
    async ({ account, params, body, caller }) => {
      if (correctsMoney(body) && !canUseScope(caller, 'transactions.correct'))
        throw forbidden('Amounts and the status are corrected with the scope transactions.correct')
      return showTransaction(await correctTransaction(world, account, params.transaction_id, body))
    },
  )

  app.post(
    '/transactions/:transaction_id/sync',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'sync_transaction',
        summary: 'Sync a transaction',
        description: 'Asks the payment service at once what became of the operations whose outcome is not known or pending.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Transaction },
      },
    },
    async ({ account, params }) => showTransaction(await syncTransaction(world, account, params.transaction_id)),
  )
}

const withoutHiddenFields = (caller: Caller, transaction: Transaction): Transaction =>
  hasEmbedToken(caller) && transaction.payment_method
    ? { ...transaction, payment_method: withoutFingerprint(transaction.payment_method) }
    : transaction

/**
 * 429 for one number or PIN too many. Before the idempotency key is looked at: a repeated key says whether the whole body is the same, and so whether a guessed number or PIN is right.
 */
function countCardAttempts({ cardTesting }: World, account: string, { payment_method: method, gift_cards }: TransactionCreate): void {
  if (method && 'number' in method) cardTesting.checkCardNumber(account, method.number)
  for (const card of gift_cards ?? []) if ('number' in card) cardTesting.checkGiftCardPin(account, card)
}

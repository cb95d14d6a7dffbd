import { type Caller, hasEmbedToken } from '../../api/auth/caller.ts'
import { idempotencyHeaders } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { withoutFingerprint } from '../../vault/cards/card-fingerprint.ts'
import type { World } from '../../world.ts'
import { answerTransactionOnce } from '../idempotency.ts'
import { Transaction, TransactionCreate } from '../transaction.schema.ts'
import { buyerAddress } from './buyer-address.ts'
import { applyCheckoutSession } from './checkout-session.ts'
import { createTransaction } from './create-transaction.ts'
import { readDraft } from './draft.ts'

export const createTransactionRoutes: Routes = (app, world) => {
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
        // inside the work: an idempotent replay must succeed after the session or an expiry of the first
        // request has passed
        const { input, session } = await applyCheckoutSession(world, account, body, caller)
        const draft = readDraft(input, world)
        const ipAddress = buyerAddress(request)
        return createTransaction(world, {
          account,
          body,
          draft,
          session,
          fromBrowser,
          ipAddress,
          claim,
          path: '/transactions',
        })
      })
      return reply.code(201).send(withoutHiddenFields(caller, answer.body as Transaction))
    },
  )
}

/** A browser sees no card fingerprint, which would identify the card across the merchant's payments. */
const withoutHiddenFields = (caller: Caller, transaction: Transaction): Transaction =>
  hasEmbedToken(caller) && transaction.payment_method
    ? { ...transaction, payment_method: withoutFingerprint(transaction.payment_method) }
    : transaction

/**
 * Throws 429 for too many similar card numbers, or too many PINs of one gift card. It runs before the
 * idempotency key is read: a replay tells whether the whole body is the same, and so whether a guessed number
 * or PIN is right.
 */
function countCardAttempts(
  { cardTesting }: World,
  account: string,
  { payment_method: method, gift_cards }: TransactionCreate,
): void {
  if (method && 'number' in method) cardTesting.checkCardNumber(account, method.number)
  for (const card of gift_cards ?? []) if ('number' in card) cardTesting.checkGiftCardPin(account, card)
}

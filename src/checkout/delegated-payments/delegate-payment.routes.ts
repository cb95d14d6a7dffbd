import type { FastifyReply } from 'fastify'
import { invalid } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { isMetadataTooLarge } from '../../api/values/metadata.ts'
import { findStoredRequest, requireSameBody } from '../../database/idempotency-key.ts'
import { createClaim } from '../../operations/idempotency.ts'
import { IdempotencyKeyTaken } from '../../operations/journal/journal.ts'
import { cardExpiryProblem } from '../../vault/cards/card.ts'
import { readDescribedCard } from '../../vault/cards/described-card.ts'
import type { DelegatedSecret } from '../../vault/secrets/delegated-card.ts'
import type { World } from '../../world.ts'
import {
  type DelegatedAddress,
  type DelegatedCard,
  DelegatePaymentRequest,
  DelegatePaymentResponse,
} from './delegate-payment.schema.ts'
import { insertDelegatedPayment } from './delegated-payment.store.ts'
import {
  answerProtocolError,
  checkProtocolHeaders,
  protocolErrors,
  protocolWriteHeaders,
} from './protocol.ts'
import { checkPlatformSignature } from './signature.ts'

const PATH = '/agentic_commerce/delegate_payment'
const MAX_LIFE_MS = 7 * 86_400_000

/** The document has no better code for a request that breaks a rule. */
const INVALID_CODE = 'invalid_card'

/** A buyer's platform delegates the buyer's card to the merchant's payment provider, for one payment. */
export const delegatePaymentRoutes: Routes = (app, world) => {
  app.post(
    PATH,
    {
      config: { scopes: ['delegated-payments.write'] },
      errorHandler: answerProtocolError(INVALID_CODE),
      preValidation: checkPlatformSignature(world),
      schema: {
        operationId: 'delegate_payment',
        summary: 'Delegate a payment',
        description:
          'The operation `delegatePayment` of the Agentic Commerce Protocol: an AI agent’s platform sends its buyer’s card with an allowance, and gets a token that pays once within it. A request that breaks a rule is a 422.',
        tags: ['Agentic commerce'],
        headers: protocolWriteHeaders,
        body: DelegatePaymentRequest,
        response: { 201: DelegatePaymentResponse, ...protocolErrors },
      },
    },
    async ({ account, body, caller, headers }, reply) => {
      checkProtocolHeaders(headers, world.machineClock.now())
      if (headers['request-id']) reply.header('request-id', headers['request-id'])
      const keyed = {
        account,
        // a key belongs to the platform that sent it
        scope: `POST ${PATH} ${caller.actor.id}`,
        key: headers['idempotency-key'],
        body,
        representation: 'delegated-payment',
      }
      const claim = createClaim(world, keyed)
      if (!claim) throw new Error('the schema requires an idempotency key')
      // before the key is read: a replay tells whether the whole body is the same, and so whether a guessed
      // number is right
      world.cardTesting.checkCardNumber(account, body.payment_method.number)
      const replayed = await replay(world, keyed, reply)
      if (replayed) return replayed
      const secret = await readCredential(world, account, body)
      checkAllowance(world, account, body)
      const payment = {
        allowance: body.allowance,
        secret,
        securityCode: body.payment_method.cvc ?? null,
        riskSignals: body.risk_signals,
        metadata: body.metadata,
      }
      try {
        return reply.code(201).send(await insertDelegatedPayment(world, account, payment, claim))
      } catch (error) {
        const stored = error instanceof IdempotencyKeyTaken ? await replay(world, keyed, reply) : undefined
        if (stored) return stored
        throw error
      }
    },
  )
}

/** The answer to the first request with this key; undefined: there was none. Throws 409 if its body was another. */
async function replay(
  world: World,
  { account, scope, key, body }: { account: string; scope: string; key: string; body: unknown },
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const stored = await findStoredRequest<{ delegated_payment: DelegatePaymentResponse }>(world, {
    account,
    scope,
    key,
  })
  if (!stored) return undefined
  requireSameBody(world, stored, body)
  world.metrics.answerReplayed()
  return reply.code(201).header('idempotent-replayed', 'true').send(stored.answer.delegated_payment)
}

/** Throws 400 for an allowance that no payment of this account could use. */
function checkAllowance(
  world: World,
  account: string,
  { allowance, metadata }: DelegatePaymentRequest,
): void {
  const life = Date.parse(allowance.expires_at) - world.clock.now()
  throwProblems({
    ...(allowance.merchant_id !== account && {
      '/allowance/merchant_id': 'is not the merchant account that the bearer token acts on',
    }),
    ...(!isCurrency(allowance.currency.toUpperCase()) && {
      '/allowance/currency': 'is not an ISO 4217 code',
    }),
    ...(life <= 0
      ? { '/allowance/expires_at': 'lies in the past' }
      : life > MAX_LIFE_MS && { '/allowance/expires_at': 'is more than seven days from now' }),
    ...(isMetadataTooLarge(metadata) && {
      '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters',
    }),
  })
}

/** The card to be sealed. Throws 400 for one that cannot pay. */
async function readCredential(
  world: World,
  account: string,
  { payment_method: card, billing_address }: DelegatePaymentRequest,
): Promise<DelegatedSecret> {
  const expirationDate = `${card.exp_month.padStart(2, '0')}/${card.exp_year.slice(-2)}`
  const expiryProblem = cardExpiryProblem(expirationDate, world.clock.now())
  if (expiryProblem) throw invalid({ '/payment_method/exp_year': expiryProblem })
  if (card.card_number_type === 'fpan')
    await readDescribedCard(
      world,
      account,
      { number: card.number, expiration_date: expirationDate },
      '/payment_method',
    )
  return {
    number: card.number,
    expirationDate,
    networkToken: card.card_number_type === 'network_token' ? networkTokenOf(card) : null,
    holder: card.name ?? null,
    address: billing_address ? addressOf(billing_address) : null,
  }
}

const networkTokenOf = ({ cryptogram, eci_value, display_last4 }: DelegatedCard) => ({
  cryptogram: cryptogram ?? null,
  eci: eci_value ?? null,
  cardSuffix: display_last4 ?? null,
})

const addressOf = (address: DelegatedAddress) => ({
  name: address.name,
  line1: address.line_one,
  line2: address.line_two ?? null,
  city: address.city,
  state: address.state,
  country: address.country,
  postalCode: address.postal_code,
})

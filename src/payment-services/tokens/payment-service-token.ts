import { badRequest, invalid, notFound } from '../../api/errors.ts'
import type { JobRound } from '../../base/due-jobs.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { nextCheck, processDueRows } from '../../database/rows/due-rows.ts'
import { isRedirectUrl, PAGE_URL_PROBLEM } from '../../outgoing/url-problem.ts'
import { isSameCard } from '../../vault/cards/card-fingerprint.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import { openStoredCard } from '../../vault/payment-methods/stored-card.ts'
import { isTokenOnly } from '../../vault/payment-methods/token-method.ts'
import type { World } from '../../world.ts'
import { notificationUrl } from '../notification-url.ts'
import { paymentService } from '../payment-service.store.ts'
import type { PaymentServiceTokenCreate } from './payment-service-token.schema.ts'
import {
  intendServiceToken,
  listServiceTokens,
  openServiceToken,
  type PaymentServiceTokenRow,
  postponeServiceToken,
  recordServiceToken,
} from './payment-service-token.store.ts'

/**
 * Makes a payment service keep a stored card (semantics §5.3). If the answer is lost the token stays
 * `processing`, and the background task asks for it again. Throws 400 and 404.
 */
export async function createServiceToken(
  world: World,
  account: string,
  methodId: string,
  input: PaymentServiceTokenCreate,
): Promise<PaymentServiceTokenRow> {
  const method = await findPaymentMethodRow(world, account, methodId)
  const service = await paymentService(world, account, input.payment_service_id)
  if (!method || !service?.active || service.deleted_at !== null) throw notFound()
  if (method.mode !== 'card') throw badRequest('Only a card can have payment service tokens')
  if (isTokenOnly(method))
    throw badRequest('One payment service stores this card, and no other can: its number is not stored')
  const connector = world.connectors.get(service.payment_service_definition_id)
  if (!service.payment_method_tokenization_enabled || !connector?.tokenize)
    throw badRequest('The payment service does not have payment_method_tokenization enabled')
  if (!isRedirectUrl(input.redirect_url, world.settings.environment))
    throw invalid({ '/redirect_url': PAGE_URL_PROBLEM })
  const row = await intendServiceToken(world, { account, method: method.id, service: service.id })
  if (!row) throw badRequest('The payment method has a token at this payment service already')
  return requestServiceToken(world, row, method, input.security_code ?? null)
}

async function requestServiceToken(
  world: World,
  row: PaymentServiceTokenRow,
  method: PaymentMethodRow,
  securityCode: string | null,
): Promise<PaymentServiceTokenRow> {
  const { merchant_account_id: account, payment_service_id: id } = row
  const service = await paymentService(world, account, id)
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  // the card was replaced meanwhile, or the payment service is gone
  if (!service || service.deleted_at !== null || !connector?.tokenize || !isSameCard(world, row, method))
    return (await recordServiceToken(world, row, null)) ?? row
  const answer = await connector.tokenize({
    http: instrumentedHttp(world, { definition: connector.definition.id, operation: 'tokenize' }).request,
    service: { id, fields: service.values, notificationUrl: notificationUrl(world, account, id) },
    id: row.id,
    card: await openStoredCard(world, method, securityCode),
  })
  if (answer.status === 'succeeded') return (await recordServiceToken(world, row, answer.token)) ?? row
  if (answer.status === 'refused') return (await recordServiceToken(world, row, null)) ?? row
  await postponeServiceToken(world, row, nextCheck(world, row.checks))
  return row
}

/** Asks again for the tokens whose answer was lost, under the same ids. Answers how many. */
export const processDueServiceTokens = (world: World, round?: JobRound): Promise<number> =>
  processDueRows(
    world,
    'payment_service_tokens',
    {
      leaseUntil: () => answerDeadline(world),
      processRow: async (row) => {
        const method = await findPaymentMethodRow(world, row.merchant_account_id, row.payment_method_id)
        return method && requestServiceToken(world, row, method, null)
      },
    },
    round,
  )

/**
 * The token of a stored card without a number, and the payment service that stores the card. Undefined: it
 * has not answered yet, or refuses the card.
 */
export async function tokenOfMethod(
  world: World,
  { merchant_account_id: account, id }: PaymentMethodRow,
): Promise<{ service: string; token: string } | undefined> {
  const rows = await listServiceTokens(world, account, id, null)
  const row = rows.find(({ status }) => status === 'succeeded')
  const token = row && (await openServiceToken(world, row))
  return token ? { service: row.payment_service_id, token } : undefined
}

/**
 * The token by which this payment service recognizes a stored card. Undefined: none, or only one of a card
 * that was replaced since.
 */
export async function usableServiceToken(
  world: World,
  method: PaymentMethodRow,
  service: string,
): Promise<PaymentServiceTokenRow | undefined> {
  const rows = await listServiceTokens(world, method.merchant_account_id, method.id, service)
  return rows.find((row) => row.status === 'succeeded' && isSameCard(world, row, method))
}

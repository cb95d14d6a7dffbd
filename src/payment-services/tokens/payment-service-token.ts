import { badRequest, invalid, notFound } from '../../api/errors.ts'
import { instrumentedHttp } from '../../connectors/http.ts'
import { isRedirectUrl, PAGE_URL_PROBLEM } from '../../outgoing/url-problem.ts'
import { isSameCard } from '../../vault/cards/card-fingerprint.ts'
import { nextCheckAt, processDueRows } from '../../vault/due-rows.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import { openStoredCard } from '../../vault/payment-methods/stored-card.ts'
import type { World } from '../../world.ts'
import { notificationUrl } from '../notification-url.ts'
import { paymentService } from '../payment-service.store.ts'
import type { PaymentServiceTokenCreate } from './payment-service-token.schema.ts'
import {
  intendServiceToken,
  listServiceTokens,
  type PaymentServiceTokenRow,
  postponeServiceToken,
  recordServiceToken,
} from './payment-service-token.store.ts'

/**
 * Has a payment service keep a stored card (SEMANTICS §5.3). Where its answer is lost the token is `processing`, and is asked for again by itself. Throws
 * 400 and 404.
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
  const connector = world.connectors.get(service.payment_service_definition_id)
  if (!service.payment_method_tokenization_enabled || !connector?.tokenize)
    throw badRequest('The payment service does not have payment_method_tokenization enabled')
  if (!isRedirectUrl(input.redirect_url, world.settings.environment)) throw invalid({ '/redirect_url': PAGE_URL_PROBLEM })
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
  // what was to be kept is another card by now, or nobody is there to keep it
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
  await postponeServiceToken(world, row, nextCheckAt(world, row.checks))
  return row
}

/** Tokens whose answer was lost: asked for again under the same id. */
export const processDueServiceTokens = (world: World): Promise<number> =>
  processDueRows(world, 'payment_service_tokens', async (row) => {
    const method = await findPaymentMethodRow(world, row.merchant_account_id, row.payment_method_id)
    return method && requestServiceToken(world, row, method, null)
  })

/** The token of a stored card that this payment service knows it by; undefined: none, or one of a card that it has replaced. */
export async function usableServiceToken(world: World, method: PaymentMethodRow, service: string): Promise<PaymentServiceTokenRow | undefined> {
  const rows = await listServiceTokens(world, method.merchant_account_id, method.id, service)
  return rows.find((row) => row.status === 'succeeded' && isSameCard(world, row, method))
}

import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { badRequest, forbidden, gatewayTimeout, notFound, orNotFound } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import type { JobRound } from '../../base/due-jobs.ts'
import type { TokenAnswer, TokenService } from '../../connectors/contract/token-service.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { signedNotificationUrl } from '../../connectors/wire/signed-notification-url.ts'
import { nextCheck, processDueRows } from '../../database/rows/due-rows.ts'
import type { World } from '../../world.ts'
import type { PaymentMethodRow } from '../payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../payment-methods/payment-method.store.ts'
import { openStoredCard } from '../payment-methods/stored-card.ts'
import { isTokenOnly } from '../payment-methods/token-method.ts'
import type { NetworkTokenCreate } from './network-token.schema.ts'
import {
  applyTokenState,
  currentToken,
  deleteTokenRow,
  findNetworkToken,
  intendToken,
  intendTokenChange,
  type NetworkTokenRow,
  retireToken,
  scheduleTokenCheck,
} from './network-token.store.ts'
import { tokenNotifications } from './network-token-notification.ts'

/** The token service of this installation. Throws 403 if there is none (semantics §5.4). */
export function tokenService({ schemes }: World): TokenService {
  if (!schemes.tokenService) throw forbidden('Network tokens are not enabled on this installation')
  return schemes.tokenService
}

/** A client for one request to the scheme's token service. */
export const tokenServiceClient = (world: World, operation: string) =>
  instrumentedHttp(world, { definition: 'network-tokens', operation }).request

type ProvisionFlags = Pick<NetworkTokenCreate, 'merchant_initiated' | 'is_subsequent_payment'> & {
  security_code?: string | null
}

/**
 * Requests a network token for a stored card (semantics §5.4). Throws 400, 404, and 504 if the answer was
 * lost: then the background task requests it again.
 */
export async function provisionToken(
  world: World,
  account: string,
  methodId: string,
  flags: NetworkTokenCreate,
): Promise<NetworkTokenRow> {
  const method = await findPaymentMethodRow(world, account, methodId)
  if (!method) throw notFound()
  const service = tokenService(world)
  const scheme = await tokenScheme(world, service, method)
  if (flags.merchant_initiated && !flags.is_subsequent_payment)
    throw badRequest('is_subsequent_payment must be true when the merchant initiates the payment')
  const before = await currentToken(world, account, method.id)
  if (before && before.status !== 'requested') throw tokenExists()
  await intendToken(world, account, method.id, scheme)
  const row = await currentToken(world, account, method.id)
  if (!row) throw notFound()
  if (row.status !== 'requested') throw tokenExists()
  const answer = await requestNetworkToken(world, service, row, method, flags)
  if (answer.status === 'refused')
    throw badRequest(`The scheme makes no token for this card: ${answer.reason}`)
  if (answer.status === 'unknown') throw gatewayTimeout()
  // of two requests at the same time the other one has recorded the answer
  if (!answer.value) throw tokenExists()
  return answer.value
}

const tokenExists = () => badRequest('The payment method has a network token already')

/** The card's scheme, if it makes tokens for this merchant account. Throws 400. */
async function tokenScheme(world: World, service: TokenService, method: PaymentMethodRow): Promise<string> {
  const { merchant_account_id: account, mode, scheme } = method
  if (mode !== 'card' || scheme === null) throw badRequest('Only a card can have network tokens')
  if (isTokenOnly(method))
    throw badRequest('A payment service stores this card: without its number no network token can be made')
  if (!service.schemes.includes(scheme)) throw badRequest(`${scheme} has no network tokens`)
  const { id, appId } = await requestorOf(world, account, scheme)
  if (!id || !appId) throw badRequest(`The merchant account has no network token requestor id of ${scheme}`)
  return scheme
}

async function requestorOf(
  world: World,
  account: string,
  scheme: string,
): Promise<{ id: string; appId: string }> {
  const identifiers = (await cachedMerchantAccount(world, account))?.identifiers ?? {}
  const text = (name: string) => String(identifiers[name] ?? '')
  return { id: text(`${scheme}_network_tokens_requestor_id`), appId: text(`${scheme}_network_tokens_app_id`) }
}

/** Requests the token and records the answer. Null: the token is not wanted any more. */
async function requestNetworkToken(
  world: World,
  service: TokenService,
  row: NetworkTokenRow,
  method: PaymentMethodRow,
  {
    merchant_initiated: merchantInitiated,
    is_subsequent_payment: isSubsequentPayment,
    security_code: code,
  }: ProvisionFlags,
): Promise<TokenAnswer<NetworkTokenRow | null>> {
  const answer = await service.provision(tokenServiceClient(world, 'provision'), {
    id: row.id,
    card: await openStoredCard(world, method, code ?? null),
    requestor: await requestorOf(world, row.merchant_account_id, row.scheme),
    merchantInitiated,
    isSubsequentPayment,
    notificationUrl: signedNotificationUrl(world, tokenNotifications, row.merchant_account_id, row.id),
  })
  if (answer.status === 'done')
    return { status: 'done', value: (await applyTokenState(world, row, answer.value, ['requested'])) ?? null }
  if (answer.status === 'refused') await deleteTokenRow(world, row, ['requested'])
  else await scheduleTokenCheck(world, row, nextCheck(world, row.checks), ['requested'])
  return answer
}

/**
 * Suspends or resumes a token. Throws 400 if it is not active or suspended respectively, 404, and 504 if the
 * answer was lost.
 */
export async function changeToken(
  world: World,
  account: string,
  methodId: string,
  id: string,
  change: 'suspend' | 'resume',
): Promise<NetworkTokenRow> {
  const row = await requireToken(world, account, methodId, id)
  const service = tokenService(world)
  const from = change === 'suspend' ? 'active' : 'suspended'
  // scheduled before the request is sent, so that the token service is asked for the result even if this
  // process dies
  const scheduled = await intendTokenChange(world, row, [from])
  if (!scheduled) throw badRequest(`The token is not ${from}`)
  const answer = await service[change](tokenServiceClient(world, change), id)
  if (answer.status === 'refused') {
    await synchronizeToken(world, row)
    throw badRequest(`The scheme refused: ${answer.reason}`)
  }
  if (answer.status === 'unknown') {
    await scheduleTokenCheck(world, row, nextCheck(world, 0), [from])
    throw gatewayTimeout()
  }
  return orNotFound(await applyTokenState(world, row, answer.value, ['active', 'suspended']))
}

/** A token of this payment method that the token service has made. Throws 404. */
export async function requireToken(
  world: World,
  account: string,
  methodId: string,
  id: string,
): Promise<NetworkTokenRow> {
  const row = await findNetworkToken(world, account, id)
  if (row?.payment_method_id !== canonicalId(methodId) || row.key_id === null) throw notFound()
  return row
}

/**
 * Deletes a token: payments stop using it at once; if the token service does not answer the deletion is
 * repeated. Throws 404.
 */
export async function deleteToken(
  world: World,
  account: string,
  methodId: string,
  id: string,
): Promise<void> {
  if (!(await retireToken(world, account, methodId, id))) throw notFound()
  const row = await findNetworkToken(world, account, id)
  if (row && world.schemes.tokenService) await deleteAtTokenService(world, world.schemes.tokenService, row)
}

async function deleteAtTokenService(
  world: World,
  service: TokenService,
  row: NetworkTokenRow,
): Promise<void> {
  const answer = await service.delete(tokenServiceClient(world, 'delete'), row.id)
  if (answer.status === 'done') return deleteTokenRow(world, row, ['inactive'])
  await scheduleTokenCheck(world, row, nextCheck(world, row.checks), ['inactive'])
}

/** Asks the token service for a token's state: its scheme may have changed it. */
export async function synchronizeToken(world: World, row: NetworkTokenRow): Promise<void> {
  const { tokenService: service } = world.schemes
  if (!service) return
  const answer = await service.find(tokenServiceClient(world, 'find'), row.id)
  if (answer.status === 'done') await applyTokenState(world, row, answer.value, ['active', 'suspended'])
  else if (answer.status === 'unknown')
    await scheduleTokenCheck(world, row, nextCheck(world, row.checks), ['active', 'suspended'])
  else await scheduleTokenCheck(world, row, nextCheck(world, 10), ['active', 'suspended'])
}

/**
 * Processes tokens that wait to be made or deleted, or whose answer was lost. Without a token service they
 * keep waiting. Answers how many.
 */
export async function processDueNetworkTokens(world: World, round?: JobRound): Promise<number> {
  const { tokenService: service } = world.schemes
  if (!service) return 0
  return processDueRows(
    world,
    'network_tokens',
    {
      leaseUntil: () => answerDeadline(world),
      processRow: (row) => processDueToken(world, service, row),
    },
    round,
  )
}

async function processDueToken(world: World, service: TokenService, row: NetworkTokenRow): Promise<unknown> {
  if (row.status === 'inactive') return deleteAtTokenService(world, service, row)
  if (row.status !== 'requested') return synchronizeToken(world, row)
  const method = await findPaymentMethodRow(world, row.merchant_account_id, row.payment_method_id)
  // made for a stored card, without the buyer
  return (
    method &&
    requestNetworkToken(world, service, row, method, {
      merchant_initiated: true,
      is_subsequent_payment: true,
    })
  )
}

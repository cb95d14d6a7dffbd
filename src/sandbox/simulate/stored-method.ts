import { setTimeout as wait } from 'node:timers/promises'
import { invalid } from '../../api/errors.ts'
import { createUpdaterJob, processDueInquiries } from '../../vault/account-updater/account-updater.ts'
import { cardExpiryProblem } from '../../vault/cards/card.ts'
import { synchronizeToken } from '../../vault/network-tokens/network-token.ts'
import type { AuthorizationUpdate } from '../../vault/payment-methods/authorization-update.ts'
import {
  canApplyAuthorizationUpdate,
  handleAuthorizationUpdate,
} from '../../vault/payment-methods/authorization-update.ts'
import type { EventName } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

const NOT_STORED = 'it was not paid with a stored payment method'

/** The reason why the account updater cannot update its card; null: it can. */
export const cardProblem = ({ method, updatedSchemes }: SimulationContext): string | null => {
  if (!method) return NOT_STORED
  if (method.mode !== 'card') return 'its stored payment method is no card'
  if (!updatedSchemes) return 'the merchant account has no account updater'
  if (method.scheme === null || !updatedSchemes.includes(method.scheme))
    return 'the account updater knows no cards of its scheme'
  return method.status === 'succeeded' || method.status === 'processing'
    ? null
    : `its stored payment method is ${method.status.replaceAll('_', ' ')}`
}

const TIMEOUT_MS = 5_000
const PAUSE_MS = 50

/**
 * Sends an inquiry to the account updater, as the merchant's job would, with this answer. Throws 400 if the
 * account has no account updater.
 */
export async function simulateCardUpdate(
  context: SimulationContext,
  result: 'updated' | 'closed',
  expiry: string | null,
): Promise<void> {
  const { world, account, method } = context
  if (!method) throw invalidEvent(NOT_STORED)
  const problem = expiry === null ? undefined : cardExpiryProblem(expiry, world.clock.now())
  if (problem) throw invalid({ '/expiration_date': problem })
  const inquiry = world.ids.next()
  await sendToSimulator(context, '/simulate/inquiry', { inquiry, result, expiration_date: expiry })
  const job = await createUpdaterJob(world, account, [method.id], () => inquiry)
  if (!job) throw invalidEvent('does not fit: the account updater is being asked about this card')
  await processDueInquiries(world)
  await waitForAnswer(context, inquiry)
}

/** Waits for the inquiry's result: another process may be sending it. */
async function waitForAnswer({ world, account }: SimulationContext, inquiry: string): Promise<void> {
  for (const patient = performance.now() + TIMEOUT_MS; performance.now() < patient; await wait(PAUSE_MS)) {
    const row = await world.db
      .selectFrom('account_updater_inquiries')
      .select('result')
      .where('merchant_account_id', '=', account)
      .where('id', '=', inquiry)
      .executeTakeFirst()
    if (row?.result !== null) return
  }
}

const sourceStatuses = {
  token_suspended: ['active'],
  token_resumed: ['suspended'],
  token_deleted: ['active', 'suspended'],
} as const
const targetStatuses = {
  token_suspended: 'suspended',
  token_resumed: 'active',
  token_deleted: 'deleted',
} as const

type TokenEvent = Extract<EventName, keyof typeof targetStatuses>

export const tokenProblem =
  (event: TokenEvent) =>
  ({ token }: SimulationContext): string | null => {
    if (!token) return 'there is no network token of its stored payment method'
    return sourceStatuses[event].some((status) => status === token.status)
      ? null
      : `the network token is ${token.status}`
  }

/**
 * Has the scheme change the token and send its notification. If the notification does not arrive, the token
 * is looked up.
 */
export async function changeToken(
  context: SimulationContext,
  { event }: { event: TokenEvent },
): Promise<void> {
  const { world, token } = context
  if (!token) throw invalidEvent('there is no network token')
  await sendToSimulator(context, `/tokens/${token.id}/scheme`, { status: targetStatuses[event] })
  await synchronizeToken(world, token)
}

const methodUpdates = {
  method_paused: 'paused',
  method_resumed: 'resumed',
  method_authorization_updated: 'authorization-updated',
  method_authorization_update_required: 'authorization-update-required',
  method_authorization_expiring: 'authorization-expiring',
} as const satisfies Partial<Record<EventName, AuthorizationUpdate>>

type MethodEvent = Extract<EventName, keyof typeof methodUpdates>

export const methodProblem =
  (event: MethodEvent) =>
  ({ method }: SimulationContext): string | null => {
    if (!method) return NOT_STORED
    return canApplyAuthorizationUpdate(method.status, methodUpdates[event])
      ? null
      : `its stored payment method is ${method.status.replaceAll('_', ' ')}`
  }

/** Simulates a change of the merchant's authorization to use a stored method. */
export async function simulateMethodUpdate(
  { world, account, method }: SimulationContext,
  { event }: { event: MethodEvent },
): Promise<void> {
  const isApplied =
    method && (await handleAuthorizationUpdate(world, account, method.id, methodUpdates[event]))
  if (!isApplied) throw invalidEvent('does not fit: the stored payment method has changed meanwhile')
}

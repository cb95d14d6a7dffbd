import { setTimeout as wait } from 'node:timers/promises'
import { invalid } from '../../api/errors.ts'
import { createUpdaterJob, tendInquiries } from '../../vault/account-updater.ts'
import { problemOfExpiry } from '../../vault/card.ts'
import type { MethodNews } from '../../vault/method-authorization.ts'
import { hearOfMethod, newsFits } from '../../vault/method-authorization.ts'
import { synchronize } from '../../vault/network-token.ts'
import type { EventName } from './simulate.schema.ts'
import { make, type Situation, unfit } from './situation.ts'

const NOT_STORED = 'it was not paid with a stored payment method'

/** Why the account updater cannot tell of its card. */
export const noCard = ({ method, updatedSchemes }: Situation): string | null => {
  if (!method) return NOT_STORED
  if (method.mode !== 'card') return 'its stored payment method is no card'
  if (!updatedSchemes) return 'the merchant account has no account updater'
  if (method.scheme === null || !updatedSchemes.includes(method.scheme)) return 'the account updater knows no cards of its scheme'
  return method.status === 'succeeded' || method.status === 'processing' ? null : `its stored payment method is ${method.status.replaceAll('_', ' ')}`
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 50

/** The account updater is asked about the card, as by a job of the merchant's, and tells that. Throws 400 where the account has none. */
export async function renewCard(situation: Situation, result: 'updated' | 'closed', expiry: string | null): Promise<void> {
  const { world, account, method } = situation
  if (!method) throw unfit(NOT_STORED)
  const problem = expiry === null ? undefined : problemOfExpiry(expiry, world.clock.now())
  if (problem) throw invalid({ '/expiration_date': problem })
  const inquiry = world.ids.next()
  await make(situation, '/simulate/inquiry', { inquiry, result, expiration_date: expiry })
  const job = await createUpdaterJob(world, account, [method.id], () => inquiry)
  if (!job) throw unfit('does not fit: the account updater is being asked about this card')
  await tendInquiries(world)
  await answered(situation, inquiry)
}

/** Another process may have taken it up. */
async function answered({ world, account }: Situation, inquiry: string): Promise<void> {
  for (const patient = performance.now() + PATIENCE_MS; performance.now() < patient; await wait(PAUSE_MS)) {
    const row = await world.db
      .selectFrom('account_updater_inquiries')
      .select('result')
      .where('merchant_account_id', '=', account)
      .where('id', '=', inquiry)
      .executeTakeFirst()
    if (row?.result !== null) return
  }
}

const from = { token_suspended: ['active'], token_resumed: ['suspended'], token_deleted: ['active', 'suspended'] } as const
const to = { token_suspended: 'suspended', token_resumed: 'active', token_deleted: 'deleted' } as const

type TokenEvent = Extract<EventName, keyof typeof to>

export const tokenIsNot =
  (event: TokenEvent) =>
  ({ token }: Situation): string | null => {
    if (!token) return 'there is no network token of its stored payment method'
    return from[event].some((status) => status === token.status) ? null : `the network token is ${token.status}`
  }

/** The scheme changes the token by itself and notifies. Should that not arrive, we ask. */
export async function changeToken(situation: Situation, { event }: { event: TokenEvent }): Promise<void> {
  const { world, token } = situation
  if (!token) throw unfit('there is no network token')
  await make(situation, `/tokens/${token.id}/scheme`, { status: to[event] })
  await synchronize(world, token)
}

const news = {
  method_paused: 'paused',
  method_resumed: 'resumed',
  method_authorization_updated: 'authorization-updated',
  method_authorization_update_required: 'authorization-update-required',
  method_authorization_expiring: 'authorization-expiring',
} as const satisfies Partial<Record<EventName, MethodNews>>

type MethodEvent = Extract<EventName, keyof typeof news>

export const methodIsNot =
  (event: MethodEvent) =>
  ({ method }: Situation): string | null => {
    if (!method) return NOT_STORED
    return newsFits(method.status, news[event]) ? null : `its stored payment method is ${method.status.replaceAll('_', ' ')}`
  }

/** What whoever has issued a stored method tells of the merchant's authorization to use it. */
export async function tellOfMethod({ world, account, method }: Situation, { event }: { event: MethodEvent }): Promise<void> {
  const heard = method && (await hearOfMethod(world, account, method.id, news[event]))
  if (!heard) throw unfit('does not fit: the stored payment method has changed meanwhile')
}

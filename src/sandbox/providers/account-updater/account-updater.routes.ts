import { Type } from 'typebox'
import { CardExpiry, Nullable } from '../../../api/schema.ts'
import { Compile } from '../../../base/compile.ts'
import { documentStore } from '../../core/documents.ts'
import { firstError } from '../../core/first-error.ts'
import {
  type Answer,
  badRequest,
  type Call,
  type Incoming,
  json,
  problem,
} from '../../core/provider-messages.ts'
import { schemeProviderIds } from '../../faults/fault.schema.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'

/**
 * The account updater: `POST /updater/inquiries`. The answer follows from a scripted update
 * (`setScriptedUpdate`), the inquiry's `simulated` member, or the card's number.
 */
export const updaterProvider: Provider = { receive }

function receive(sandbox: Sandbox, { method, path, body }: Incoming): Call | null {
  if (method !== 'POST' || path[1] !== 'inquiries' || path.length > 2) return null
  return {
    payment_service_id: schemeProviderIds.updater,
    operation: 'account_update',
    key: null,
    process: () => answerInquiry(sandbox, body),
  }
}

const inquiry = Compile(
  Type.Object({
    id: Type.String(),
    number: Type.String({ pattern: '^\\d{12,19}$' }),
    expiration_date: CardExpiry,
    simulated: Nullable(
      Type.Object({
        response_code: Type.Optional(Nullable(Type.String())),
        account_number: Type.Optional(Nullable(Type.String())),
        expiration_month: Type.Optional(Nullable(Type.String())),
        expiration_year: Type.Optional(Nullable(Type.String())),
        error_code: Type.Optional(Nullable(Type.String())),
      }),
    ),
  }),
)

export type SimulatedCardUpdate =
  | { result: 'updated'; number?: string; expiration_date?: string }
  | { result: 'closed' }

/**
 * The answers by card number (docs/guides/stored-cards-and-subscriptions.md); every other card is unchanged.
 */
const cards: Readonly<Record<string, SimulatedCardUpdate>> = {
  '4111110000000104': { result: 'updated', number: '4111110000000203', expiration_date: '12/39' },
  '5555550000000101': { result: 'updated', number: '5555550000000200', expiration_date: '12/39' },
  '4111110000000302': { result: 'updated', expiration_date: '12/39' },
  '4111110000000401': { result: 'closed' },
}

/** Sets the answer to the inquiry with this id, whatever its card. */
const { find: scriptedUpdateOf, store: setScriptedUpdate } = documentStore<SimulatedCardUpdate>('updater')

export { setScriptedUpdate }

/** `MM/YY`. */
const threeYearsLater = (expiry: string) =>
  `${expiry.slice(0, 3)}${String((Number(expiry.slice(3)) + 3) % 100).padStart(2, '0')}`

function answerInquiry(sandbox: Sandbox, body: unknown): Answer {
  if (!inquiry.Check(body)) return badRequest(firstError(inquiry, body))
  const { id, number, expiration_date, simulated } = body
  const updateAnswer = (update: SimulatedCardUpdate) => json(200, { id, number, expiration_date, ...update })
  const scripted = scriptedUpdateOf(sandbox, id)
  if (scripted)
    return updateAnswer(
      scripted.result === 'updated'
        ? { ...scripted, expiration_date: scripted.expiration_date ?? threeYearsLater(expiration_date) }
        : scripted,
    )
  if (!simulated)
    return Object.hasOwn(cards, number) && cards[number]
      ? updateAnswer(cards[number])
      : json(200, { id, result: 'unchanged' })
  if (simulated.error_code) return problem(422, simulated.error_code, 'the issuer cannot be asked')
  if (simulated.response_code !== 'updated') return json(200, { id, result: 'unchanged' })
  const { account_number: newNumber, expiration_month: month, expiration_year: year } = simulated
  const changed = {
    number: newNumber ?? number,
    expiration_date: month && year ? `${month}/${year.slice(-2)}` : expiration_date,
  }
  if (!/^\d{12,19}$/.test(changed.number) || !/^(0[1-9]|1[0-2])\/\d\d$/.test(changed.expiration_date))
    return problem(422, 'invalid_account', 'what is to be answered is no card')
  return updateAnswer({ result: 'updated', ...changed })
}

import type { Call } from '../../contract/call.ts'
import type { BookFinding } from '../../contract/outcome.ts'
import { absent, found, unsure } from '../../contract/outcome.ts'
import { writtenAt } from '../../wire/provider-answer.ts'
import { toStripeAmount } from '../amount.ts'
import { type Intent, readIntent } from '../answer.schema.ts'
import { isMadeBy } from '../metadata.ts'
import type { Wire } from '../wire.ts'
import { openedIntent } from './find.ts'
import { cancelIntent, fetchIntent, isCanceledUntouched, toOutcome } from './intent.ts'
import { listAll } from './list.ts'

/**
 * Finds out what became of a payment, and cancels an intent that nothing was attempted with: a canceled
 * intent can never be confirmed, not by a request that arrives later either.
 */
export async function close(wire: Wire, call: Call): Promise<BookFinding> {
  const id = openedIntent(call)
  if (id === null) return closeUncommitted(wire, call)
  const intent = await fetchIntent(wire, call, id)
  return intent === undefined || intent === 'missing' ? unsure : closeIntent(wire, call, intent)
}

/** The statuses in which no money has moved, and in which only another attempt could move any. */
const openStatuses = new Set(['requires_confirmation', 'requires_payment_method', 'requires_action'])

async function closeIntent(wire: Wire, call: Call, intent: Intent): Promise<BookFinding> {
  const final = openStatuses.has(intent.status) ? await cancelIntent(wire, call, intent.id) : intent
  if (!final) return unsure
  // the buyer of an abandoned challenge never saw its page: the answer with its URL was lost
  if (isCanceledUntouched(final)) return absent
  const outcome = toOutcome(call, final)
  return outcome && outcome.status !== 'unknown' ? found(outcome) : unsure
}

/**
 * No intent was committed, so none was confirmed, and none will be: the process that sends commits first, and
 * that fails once the operation is decided. An intent that was opened is canceled all the same.
 */
async function closeUncommitted(wire: Wire, call: Call): Promise<BookFinding> {
  const { operation } = call
  const isSetupIntent = toStripeAmount(operation.amount, operation.currency) === 0
  const second = Math.floor(writtenAt(operation.id) / 1000)
  const intents = await listAll(
    wire,
    call,
    {
      path: isSetupIntent ? '/v1/setup_intents' : '/v1/payment_intents',
      query: { created: { gte: second - 60, lte: second + LONGEST_REQUEST_S } },
      // an intent that is not found stays open, and can move nothing all the same
      newest: true,
      // other payments name their buyers
      record: 'metadata only',
    },
    (item) => readIntent(item),
  )
  if (!intents) return unsure
  for (const intent of intents.filter((item) => isMadeBy(item, operation) && item.status !== 'canceled'))
    if (!(await cancelIntent(wire, call, intent.id))) return unsure
  return absent
}

/** How long after its operation an intent can be opened, at most: a request and its retries. */
const LONGEST_REQUEST_S = 900

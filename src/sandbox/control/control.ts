import { randomInt } from 'node:crypto'
import { type Answer, type Incoming, json, notFound, problem } from '../core/provider-messages.ts'
import { readFaults } from '../faults/faults.ts'
import type { FaultProblems } from '../faults/validate-fault.ts'
import type { Sandbox } from '../sandbox.ts'
import { decideForBuyer, decideForCardholder } from './decision.ts'
import { expireAuthorization } from './expiry.ts'
import { setInquiryAnswer } from './inquiry.ts'
import { endPending } from './pending-end.ts'
import { postLine } from './posted-line.ts'

const controls = new Map<string, (sandbox: Sandbox, incoming: Incoming) => Answer | Promise<Answer>>([
  ['GET faults', (sandbox) => faultsAnswer(sandbox)],
  ['PUT faults', replaceFaults],
  ['GET books', books],
  ['GET books/operations', bookedOperation],
  ['GET books/approved', approvedTotals],
  ['POST simulate/pending-end', endPending],
  ['POST simulate/line', postLine],
  ['POST simulate/buyer', decideForBuyer],
  ['POST simulate/cardholder', decideForCardholder],
  ['POST simulate/expiry', expireAuthorization],
  ['POST simulate/inquiry', setInquiryAnswer],
])

/**
 * Answers requests of tests and operators about the sandbox itself: its faults, its books and simulated
 * events. Reading changes nothing.
 */
export async function control(sandbox: Sandbox, incoming: Incoming): Promise<Answer> {
  const handler = controls.get(`${incoming.method} ${incoming.path.slice(0, 2).join('/')}`)
  return handler ? handler(sandbox, incoming) : notFound
}

const faultsAnswer = ({ faults, faultSeed }: Sandbox) =>
  json(200, {
    items: faults.map(({ item, struck }) => ({ ...item, struck })),
    ...(faultSeed !== null && { seed: faultSeed }),
  })

/** Replaces all faults, or those of one payment service, so that tests that run side by side keep theirs. */
function replaceFaults(sandbox: Sandbox, { body, query }: Incoming): Answer {
  const read = readFaults(body, sandbox.clock.now(), () => randomInt(2 ** 32))
  if ('problems' in read) return refused(read.problems)
  const only = query.get('payment_service_id')
  const misplaced = read.faults.flatMap(({ item }, index) =>
    only === null || item.payment_service_id === only ? [] : [index],
  )
  if (misplaced.length > 0)
    return refused(
      Object.fromEntries(
        misplaced.map((index) => [
          `/items/${index}/payment_service_id`,
          `must be ${only}, whose faults are replaced`,
        ]),
      ),
    )
  const others = only === null ? [] : sandbox.faults.filter(({ item }) => item.payment_service_id !== only)
  sandbox.faults = [...read.faults, ...others]
  // each fault draws with the seed of the list that it came with; GET shows the seed of the last list for all
  // services
  if (only === null) sandbox.faultSeed = read.seed
  return faultsAnswer({ ...sandbox, faults: read.faults, faultSeed: read.seed })
}

/** The problems as text, and as `problems` for the API's `details`. */
const refused = (problems: FaultProblems): Answer => {
  const message = Object.entries(problems).map(([pointer, problem]) => `${pointer} ${problem}`.trim())
  return json(400, { code: 'invalid_request', message: message.join('; '), problems })
}

function books({ books }: Sandbox): Answer {
  return json(200, {
    operations: Array.from(books.operations.values(), ({ payment_service_id, result }) => ({
      payment_service_id,
      ...result,
    })),
    payments: [...books.payments.values()],
    gift_cards: {
      operations: Array.from(books.giftCards.operations.values(), ({ payment_service_id, result }) => ({
        payment_service_id,
        ...result,
      })),
      cards: [...books.giftCards.cards.values()],
      redemptions: [...books.giftCards.redemptions.values()],
    },
    attempts: Object.fromEntries(books.attempts),
    closed: [...books.closed],
  })
}

/** The number and the sum of approved operations: the books of a million are too long for one answer. */
function approvedTotals({ books }: Sandbox): Answer {
  const totals = { count: 0, amount: 0 }
  for (const { result } of books.operations.values()) {
    if (result.status !== 'approved') continue
    totals.count += 1
    totals.amount += result.amount
  }
  return json(200, totals)
}

function bookedOperation({ books }: Sandbox, { path }: Incoming): Answer {
  const key = path[2] ?? ''
  const attempts = books.attempts.get(key) ?? 0
  const booked = books.operations.get(key)
  if (booked) return json(200, { payment_service_id: booked.payment_service_id, attempts, ...booked.result })
  if (books.closed.has(key)) return json(200, { key, status: 'closed', attempts })
  return problem(404, 'unknown_operation', 'no request with this key was processed')
}

import { randomInt } from 'node:crypto'
import { readFaults } from './faults.ts'
import { type Answer, badRequest, type Incoming, json, notFound, problem } from './provider.ts'
import type { Sandbox } from './sandbox.ts'

const controls = new Map<string, (sandbox: Sandbox, incoming: Incoming) => Answer>([
  ['GET faults', (sandbox) => faultsAnswer(sandbox)],
  ['PUT faults', replaceFaults],
  ['GET books', books],
  ['GET books/operations', bookedOperation],
])

/** What tests and operators see of the sandbox itself: its faults and its books. Looking changes nothing. */
export function control(sandbox: Sandbox, incoming: Incoming): Answer {
  const handler = controls.get(`${incoming.method} ${incoming.path.slice(0, 2).join('/')}`)
  return handler ? handler(sandbox, incoming) : notFound
}

const faultsAnswer = ({ faults, faultSeed }: Sandbox) =>
  json(200, { items: faults.map(({ item, struck }) => ({ ...item, struck })), ...(faultSeed !== null && { seed: faultSeed }) })

function replaceFaults(sandbox: Sandbox, { body }: Incoming): Answer {
  const read = readFaults(body, sandbox.clock.now(), () => randomInt(2 ** 32))
  if ('problem' in read) return badRequest(read.problem)
  sandbox.faults = read.faults
  sandbox.faultSeed = read.seed
  return faultsAnswer(sandbox)
}

function books({ books }: Sandbox): Answer {
  return json(200, {
    operations: Array.from(books.operations.values(), ({ payment_service_id, result }) => ({ payment_service_id, ...result })),
    payments: [...books.payments.values()],
    gift_cards: {
      operations: Array.from(books.giftCards.operations.values(), ({ payment_service_id, result }) => ({ payment_service_id, ...result })),
      cards: [...books.giftCards.cards.values()],
      redemptions: [...books.giftCards.redemptions.values()],
    },
    attempts: Object.fromEntries(books.attempts),
    closed: [...books.closed],
  })
}

function bookedOperation({ books }: Sandbox, { path }: Incoming): Answer {
  const key = path[2] ?? ''
  const attempts = books.attempts.get(key) ?? 0
  const booked = books.operations.get(key)
  if (booked) return json(200, { payment_service_id: booked.payment_service_id, attempts, ...booked.result })
  if (books.closed.has(key)) return json(200, { key, status: 'closed', attempts })
  return problem(404, 'unknown_operation', 'no request with this key was processed')
}

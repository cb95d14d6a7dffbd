import { momentOf } from '../../src/database/partitions/partitioned-tables.ts'
import { giftCardAmount } from '../../src/gift-cards/redemptions/redemption.ts'
import { isOpen, type OperationRow } from '../../src/operations/operation.ts'
import type { Shown } from '../crash/oracle.ts'
import { groupBy, transactionKept } from '../crash/oracle.ts'
import { heldCards, oneAttemptAtATime } from '../crash/steps.oracle.ts'
import type { Snapshot } from './snapshot.ts'

/** The last answer that a merchant got for each of its payments. */
export type Acknowledged = ReadonlyMap<string, Shown>

type Invariant = (now: Snapshot, acknowledged: Acknowledged) => string[]

const hasFailed = ({ status }: OperationRow) => status === 'declined' || status === 'failed'

/** A cancellation that arrived just after the approval has released the authorization: no money is held. */
const isReleased = ({ books }: Snapshot, { error_code: code, id }: OperationRow) =>
  code === 'canceled' &&
  books.payments
    .values()
    .some(({ opened_by, captured, voided }) => opened_by === id && captured === 0 && voided)

/** The over-capture of these merchants: none. */
const ALLOWANCE = 0

/** The invariants after every step, with operations in flight. */
export const invariants = {
  'captured within authorized, with us': ({ tables }) =>
    [...tables.transactions.values()]
      .filter(
        (row) =>
          row.captured_amount + row.capture_reserved > row.authorized_amount + ALLOWANCE &&
          row.authorized_amount > 0,
      )
      .map(
        (row) =>
          `${row.id}: ${row.captured_amount} captured and ${row.capture_reserved} reserved of ${row.authorized_amount}`,
      ),

  'refunded within captured, with us': ({ tables }) =>
    [...tables.transactions.values()]
      .filter((row) => row.refunded_amount + row.refund_reserved > row.captured_amount)
      .map(
        (row) =>
          `${row.id}: ${row.refunded_amount} refunded and ${row.refund_reserved} reserved of ${row.captured_amount}`,
      ),

  'captured within authorized, in the books': ({ books }) =>
    [...books.payments.values()]
      .filter((p) => p.captured > p.authorized)
      .map((p) => `${p.payment_id}: ${p.captured} of ${p.authorized}`),

  'refunded within captured, in the books': ({ books }) =>
    [...books.payments.values()]
      .filter((p) => p.refunded > p.captured)
      .map((p) => `${p.payment_id}: ${p.refunded} of ${p.captured}`),

  'one charge for a payment': ({ tables, books }) => {
    const charged = [...books.payments.values()].filter(
      ({ authorization }) => authorization === 'approved' || authorization === 'pending',
    )
    return [...groupBy(charged, ({ opened_by }) => tables.operations.get(opened_by)?.transaction_id)]
      .filter(([, payments]) => payments.length > 1)
      .map(([id, payments]) => `transaction ${id} has ${payments.length} charges`)
  },

  'one renewal of an authorization': ({ tables }) =>
    [
      ...groupBy(
        [...tables.transactions.values()].filter(
          (row) => row.reauthorized_from_transaction_id !== null && row.status !== 'authorization_failed',
        ),
        (row) => row.reauthorized_from_transaction_id,
      ),
    ]
      .filter(([, renewals]) => renewals.length > 1)
      .map(([id, renewals]) => `transaction ${id} was renewed ${renewals.length} events`),

  'a renewal authorizes what is left, and no more': ({ tables }) =>
    [...tables.operations.values()].flatMap(({ kind, amount, transaction_id }) => {
      const earlier = tables.transactions.get(
        tables.transactions.get(transaction_id)?.reauthorized_from_transaction_id ?? '',
      )
      if (kind !== 'authorize' || !earlier) return []
      const left = earlier.amount - giftCardAmount(earlier.gift_cards) - earlier.captured_amount
      return (amount ?? 0) > left ? [`${transaction_id} renews ${amount} of which ${left} were left`] : []
    }),

  'disputed is what the reports say of the payment': ({ tables, settlements }) =>
    [...tables.transactions.values()].flatMap(({ id, disputed_amount, disputed }) => {
      const sums = { chargeback: 1, 'chargeback-reversal': -1 } as Readonly<Record<string, number>>
      const lines = settlements.filter(({ transaction_id }) => transaction_id === id)
      const said = lines.reduce((sum, { type, gross_amount: gross }) => sum + (sums[type] ?? 0) * gross, 0)
      const isSaid = lines.some(({ type }) => type === 'chargeback')
      return (disputed_amount ?? 0) === said && disputed === isSaid
        ? []
        : [`${id}: ${disputed_amount} (${disputed}), the reports say ${said}`]
    }),

  'one key for an operation': ({ tables }) => oneAttemptAtATime(tables),

  'every operation in the books is one of tables': ({ tables, books }) =>
    [...books.operations.values()]
      .filter(({ key }) => !tables.operations.has(key))
      .map(({ kind, key }) => `${kind} ${key} is none in the journal`),

  'nothing is booked under a key that was closed': ({ books }) =>
    [...books.operations.keys()]
      .filter((key) => books.closed.has(key))
      .map((key) => `${key} is closed and booked`),

  'never failed while money moved': (now) =>
    [...now.tables.operations.values()]
      .filter((operation) => hasFailed(operation) && !isReleased(now, operation))
      .filter(
        ({ id }) =>
          now.books.operations.get(id)?.status === 'approved' ||
          now.books.operations.get(id)?.status === 'pending',
      )
      .map(
        ({ kind, id, status }) =>
          `${kind} ${id} is ${status} and ${now.books.operations.get(id)?.status} in the books`,
      ),

  'never failed while a gift card paid': ({ tables, books }) => {
    const moved = new Set(
      books.giftCards.operations.filter(({ status }) => status === 'approved').map(({ key }) => key),
    )
    return [...tables.operations.values()]
      .filter((operation) => hasFailed(operation) && moved.has(operation.id))
      .map(({ kind, id }) => `${kind} ${id}`)
  },

  'approved only as the books say': ({ tables, books }) =>
    [...tables.operations.values()]
      .filter(
        ({ status, kind }) =>
          status === 'approved' &&
          ['authorize', 'sale', 'capture', 'refund', 'increment', 'payout'].includes(kind),
      )
      .filter(({ id, effective_amount: amount }) => {
        const booked = books.operations.get(id)
        return booked?.status !== 'approved' || booked.amount !== amount
      })
      .map(
        ({ kind, id, effective_amount: amount }) =>
          `${kind} ${id} of ${amount} is ${JSON.stringify(books.operations.get(id) ?? 'absent')}`,
      ),

  'whatever is open has a time at which it is looked at': ({ tables }) =>
    [...tables.operations.values()]
      .filter(({ status, check_at }) => isOpen(status) && check_at === null)
      .map(({ kind, id, status }) => `${kind} ${id} (${status})`),

  'money is reserved only for what is open': ({ tables }) => {
    const open = groupBy(
      [...tables.operations.values()].filter(({ status }) => isOpen(status)),
      ({ transaction_id, kind }) => `${kind} of ${transaction_id}`,
    )
    const reserved = (id: string, kind: OperationRow['kind']) =>
      (open.get(`${kind} of ${id}`) ?? []).reduce((sum, { amount }) => sum + (amount ?? 0), 0)
    return [...tables.transactions.values()].flatMap((row) => [
      ...(row.capture_reserved === reserved(row.id, 'capture')
        ? []
        : [`${row.id}: ${row.capture_reserved} for captures, ${reserved(row.id, 'capture')} are open`]),
      ...(row.refund_reserved === reserved(row.id, 'refund')
        ? []
        : [`${row.id}: ${row.refund_reserved} for refunds, ${reserved(row.id, 'refund')} are open`]),
    ])
  },

  'a payout leaves once': ({ tables, books }) => {
    const left = groupBy(
      [...books.payments.values()].filter(({ paid_out }) => paid_out > 0),
      ({ opened_by }) => tables.operations.get(opened_by)?.transaction_id,
    )
    return [...left].flatMap(([id, payments]) => {
      const payout = tables.payouts.get(id)
      const sum = payments.reduce((total, { paid_out }) => total + paid_out, 0)
      return payments.length === 1 &&
        payout &&
        sum === payout.amount &&
        !/failed|declined/.test(payout.status)
        ? []
        : [`payout ${id} (${payout?.status}): ${sum} left`]
    })
  },

  'what was acknowledged is kept': ({ tables }, acknowledged) =>
    [...acknowledged.values()].flatMap((then) => transactionKept(then, tables.transactions.get(then.id))),

  'events of each resource are complete and in order': ({ events }) =>
    [...groupBy(events, ({ target_id }) => target_id)].flatMap(([id, recorded]) =>
      recorded.every(({ sequence }, index) => sequence === index + 1)
        ? []
        : [`${id} has events ${recorded.map(({ sequence }) => sequence)}`],
    ),

  'a pending operation has one event': ({ events }) =>
    [
      ...groupBy(
        events.filter(({ name }) => /^(capture|refund|payout)\.pending$/.test(name)),
        ({ name, target_id }) => `${name} of ${target_id}`,
      ),
    ].flatMap(([what, recorded]) => (recorded.length === 1 ? [] : [`${what} has ${recorded.length} events`])),

  // within a millisecond the later event may have the lower id: a statement with its id may wait for another's commit
  'the times of ids do not go back, whatever the clock does': ({ events }) =>
    [...groupBy(events, ({ target_id }) => target_id)].flatMap(([target, recorded]) =>
      recorded.every(
        ({ id }, index) => index === 0 || momentOf(id) >= momentOf(recorded[index - 1]?.id ?? ''),
      )
        ? []
        : [`events of ${target}: ${recorded.map(({ id }) => id)}`],
    ),

  'no card stays sealed for a payment that needs it no more': ({ tables }) => heldCards(tables),
} as const satisfies Record<string, Invariant>

/** The violated invariants. */
export const violations = (now: Snapshot, acknowledged: Acknowledged): string[] =>
  Object.entries(invariants).flatMap(([name, check]) =>
    check(now, acknowledged).map((found) => `${name}: ${found}`),
  )

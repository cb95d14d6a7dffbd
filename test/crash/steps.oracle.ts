import { isOpen, type OperationRow } from '../../src/operations/operation.ts'
import { type Findings, groupBy } from './oracle.ts'
import type { InstanceTables } from './read-tables.ts'

/** The operations of each transaction, oldest first: their ids sort by time. */
const byTransaction = ({ operations }: Pick<InstanceTables, 'operations'>): Map<string, OperationRow[]> =>
  groupBy(
    [...operations.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ({ transaction_id }) => transaction_id,
  )

const isMoneyStep = ({ kind }: OperationRow) => kind === 'authorize' || kind === 'sale'
const hasFailed = ({ status }: OperationRow) => status === 'declined' || status === 'failed'

/** No payment service is tried while the outcome at another is unknown. */
export function oneAttemptAtATime(tables: Pick<InstanceTables, 'operations'>): Findings {
  return [...byTransaction(tables)].flatMap(([id, operations]) => {
    const attempts = operations.filter(isMoneyStep)
    return attempts.slice(1).flatMap((attempt, index) => {
      const before = attempts[index]
      return before && hasFailed(before)
        ? []
        : [`transaction ${id} was attempted again as ${attempt.id} while ${before?.id} was ${before?.status}`]
    })
  })
}

/** Checks before the authorization or sale are made once, and a rejection ends the payment. */
export function checkedFirst(tables: Pick<InstanceTables, 'operations'>): Findings {
  return [...byTransaction(tables)].flatMap(([id, operations]) => {
    const checks = operations.filter(({ kind }) => kind === 'screening' || kind === 'authentication')
    const twice = [...groupBy(checks, ({ kind }) => kind)].filter(([, rows]) => rows.length > 1)
    const passedBy = checks.filter(
      (check) => (hasFailed(check) || isOpen(check.status)) && operations.at(-1)?.id !== check.id,
    )
    return [
      ...twice.map(([kind, rows]) => `transaction ${id} has ${rows.length} operations ${kind}`),
      ...passedBy
        .filter((check) =>
          operations.some((operation) => operation.id > check.id && operation.kind !== 'cancel'),
        )
        .map(({ kind, status }) => `transaction ${id} went on although its ${kind} is ${status}`),
    ]
  })
}

/**
 * A payment in review is not captured; once its decision arrived the payment has gone on accordingly, unless
 * it had failed or was voided before.
 */
export function reviewsFollowed(
  tables: Pick<InstanceTables, 'operations' | 'transactions'>,
  heard: ReadonlySet<string>,
): Findings {
  const operations = byTransaction(tables)
  return [...tables.transactions.values()].flatMap((row) => {
    const {
      id,
      status,
      anti_fraud: screening,
      pending_review: isHeld,
      captured_amount: captured,
      method,
    } = row
    const voidRefused = (operations.get(id) ?? []).some(
      (operation) => operation.kind === 'void' && hasFailed(operation),
    )
    const waits =
      isHeld && screening?.decision !== 'review' && status !== 'buyer_approval_pending' && !voidRefused
    const wasOver = !isHeld && (status === 'authorization_failed' || status === 'authorization_voided')
    return [
      ...(isHeld && captured > 0 && method === 'card'
        ? [`transaction ${id} is held for review and ${captured} are captured`]
        : []),
      ...(heard.has(id) && screening?.decision === 'review' && !wasOver
        ? [`the decision about transaction ${id} (${status}) was heard and is lost`]
        : []),
      ...(waits
        ? [`transaction ${id} (${status}) is held although its review was decided: ${screening?.decision}`]
        : []),
    ]
  })
}

/** A card is sealed exactly as long as its cardholder has not answered. */
export const heldCards = ({ held, transactions }: Pick<InstanceTables, 'held' | 'transactions'>): Findings =>
  held.flatMap((id) => {
    const status = transactions.get(id)?.status
    return status === 'buyer_approval_pending'
      ? []
      : [`a card is held for transaction ${id}, which is ${status}`]
  })

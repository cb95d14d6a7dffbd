import type { OperationRow } from '../operations/operation.ts'
import type { Capsule, CapsuleOperation } from './capsule.schema.ts'
import type { CapsuleRows } from './capsule.store.ts'
import type { RecordedExchange } from './recorded-answers.ts'
import type { ServiceNames } from './replay-requests.ts'
import { resultOf, shownEntries } from './result.ts'

/** The first difference between a capsule and its replay, in words; undefined: there is none. */
export function firstDifference(
  capsule: Capsule,
  { transaction, operations, entries }: CapsuleRows,
  names: ServiceNames,
  notPlayed: RecordedExchange | undefined,
): string | undefined {
  const count = Math.max(capsule.operations.length, operations.length)
  for (let index = 0; index < count; index++) {
    const difference = differenceOf(
      `operation ${index + 1}`,
      recordedOperation(capsule.operations[index], names),
      replayedOperation(operations[index]),
    )
    if (difference) return difference
  }
  if (notPlayed)
    return `operation ${notPlayed.operation + 1}: the request ${quoted(`${notPlayed.method} ${notPlayed.path}`)} was not sent`
  return (
    differenceOf('payment', capsule.result, resultOf(transaction)) ??
    differenceOf('timeline', entryByNumber(capsule.timeline), entryByNumber(shownEntries(entries)))
  )
}

type Members = Readonly<Record<string, string | number | null>>
const none: Members = {}

const recordedOperation = (operation: CapsuleOperation | undefined, names: ServiceNames): Members =>
  operation
    ? {
        ...comparedMembers(operation),
        payment_service_id:
          operation.payment_service_id &&
          (names.get(operation.payment_service_id) ?? operation.payment_service_id),
      }
    : none

const replayedOperation = (operation: OperationRow | undefined): Members =>
  operation ? { ...comparedMembers(operation), payment_service_id: operation.payment_service_id } : none

const comparedMembers = ({
  kind,
  status,
  amount,
  effective_amount,
  error_code,
}: Pick<CapsuleOperation, 'kind' | 'status' | 'amount' | 'effective_amount' | 'error_code'>) => ({
  kind,
  status,
  amount,
  effective_amount,
  error_code,
})

const entryByNumber = (names: readonly string[]): Members =>
  Object.fromEntries(names.map((name, index) => [`entry ${index + 1}`, name]))

function differenceOf(of: string, recorded: Members, now: Members): string | undefined {
  for (const member of new Set([...Object.keys(recorded), ...Object.keys(now)]))
    if (recorded[member] !== now[member])
      return `${of}, ${member}: recorded ${quoted(recorded[member])}, now ${quoted(now[member])}`
  return undefined
}

/** A capsule comes from outside: its texts have no control characters in a terminal. */
const quoted = (value: string | number | null | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value)

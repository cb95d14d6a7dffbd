import type { OperationForCall } from '../contract/call.ts'
import type { Intent, Refund } from './answer.schema.ts'

/** The member that names the operation that opened an intent, or made a refund. */
const OPERATION = 'railyard_operation'

export const operationMetadata = ({ id }: OperationForCall): Record<string, string> => ({ [OPERATION]: id })

/** The operation that opened an intent, or made a refund; undefined: none of Railyard's. */
export const madeBy = ({ metadata }: Pick<Intent | Refund, 'metadata'>): string | undefined =>
  metadata?.[OPERATION]

export const isMadeBy = (
  { metadata }: Pick<Intent | Refund, 'metadata'>,
  { id }: OperationForCall,
): boolean => metadata?.[OPERATION] === id

/** Names have at most 40 characters, so the operation's id loses its hyphens. */
const markerName = (kind: 'capture' | 'increment', id: string) =>
  `${kind === 'capture' ? 'cap' : 'inc'}_${id.replaceAll('-', '')}`

/**
 * What a capture or an increment leaves on the intent: Stripe writes it with the movement or not at all, so
 * that the intent says which of them took effect. `units`: the amount as Stripe counts it.
 */
export const marker = (kind: 'capture' | 'increment', { id }: OperationForCall, units: number) => ({
  [markerName(kind, id)]: units,
})

/** The amount that this operation moved, as Stripe counts it; undefined: it has left no marker. */
export function markedAmount(
  intent: Intent,
  kind: 'capture' | 'increment',
  { id }: OperationForCall,
): number | undefined {
  const value = intent.metadata?.[markerName(kind, id)]
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** What all marked captures, or increments, come to. */
export const markedTotal = (intent: Intent, kind: 'capture' | 'increment'): number =>
  Object.entries(intent.metadata ?? {})
    .filter(([name, value]) => name.startsWith(markerName(kind, '')) && /^\d{1,15}$/.test(value))
    .reduce((sum, [, value]) => sum + Number(value), 0)

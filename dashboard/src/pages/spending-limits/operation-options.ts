import type { SpendingLimit } from '@railyard/client'
import { nameOperation } from '../approvals/proposal-status.ts'

const limited = [
  'refund',
  'payout',
  'capture',
  'void',
] as const satisfies readonly SpendingLimit['operation'][]

/** The operations that can be limited, for choices. */
export const operationOptions: readonly (readonly [value: string, text: string])[] = limited.map((name) => [
  name,
  nameOperation(name),
])

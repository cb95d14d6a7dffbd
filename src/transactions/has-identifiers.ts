import type { RequiredIdentifiers } from '../connectors/contract/connector.ts'
import type { TransactionRow } from './transaction.row.ts'

/** Whether a payment is one that a notification may be about; absent: any is. */
export const hasIdentifiers = (
  { identifiers }: Pick<TransactionRow, 'identifiers'>,
  required: RequiredIdentifiers = {},
): boolean => Object.entries(required).every(([name, value]) => (identifiers?.[name] ?? null) === value)

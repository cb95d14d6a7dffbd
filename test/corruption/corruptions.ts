import type { Corruption } from './corruptions/changes.ts'
import { consistentCorruptions } from './corruptions/consistent-changes.ts'
import { journalChainCorruptions } from './corruptions/journal-chain.ts'
import { operationCorruptions } from './corruptions/operations.ts'
import { recordCorruptions } from './corruptions/records.ts'
import { transactionCorruptions } from './corruptions/transactions.ts'

/** In the order of the document. */
export const corruptions: readonly Corruption[] = [
  ...transactionCorruptions,
  ...operationCorruptions,
  ...recordCorruptions,
  ...consistentCorruptions,
  ...journalChainCorruptions,
]

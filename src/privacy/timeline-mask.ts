import { Type } from 'typebox'
import type { PersonalMark } from '../api/schema.ts'
import { type Mask, maskOf, unchanged } from '../api/visibility/personal-mask.ts'
import { TransactionCreate, TransactionUpdate } from '../transactions/transaction.schema.ts'
import { TransactionCaptureCreate } from '../transactions/views/capture.schema.ts'
import { TransactionRefundAllCreate, TransactionRefundCreate } from '../transactions/views/refund.schema.ts'

/** The request bodies that a timeline stores. */
const ApiRequest = Type.Union([
  TransactionCreate,
  TransactionCaptureCreate,
  TransactionRefundCreate,
  TransactionRefundAllCreate,
])

/**
 * Members that hold texts of services. They may contain personal data anywhere, so they are masked as a
 * whole.
 */
const serviceTextMembers = new Set(['request', 'response', 'content', 'comment'])

/** Masks personal data in a line of a payment's timeline (`TransactionEvent`). */
export function timelineEntryMask(marks: readonly PersonalMark[]): Mask {
  const request = maskOf(ApiRequest, marks) ?? unchanged
  const corrected = maskOf(TransactionUpdate, marks) ?? unchanged
  const memberMask = (line: string, member: string): Mask => {
    if (line.startsWith('transaction-api-')) return member === 'request' ? request : unchanged
    if (line === 'transaction-modified-event') return corrected
    return serviceTextMembers.has(member) ? toNull : unchanged
  }
  return (line) => {
    if (!isMaskableEntry(line)) return line
    const { name, context } = line
    return {
      ...line,
      context: Object.fromEntries(
        Object.entries(context).map(([member, value]) => [member, memberMask(name, member)(value)]),
      ),
    }
  }
}

const toNull: Mask = () => null

interface MaskableEntry {
  name: string
  context: object
}

const isMaskableEntry = (value: unknown): value is MaskableEntry =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'context' in value &&
  typeof value.context === 'object' &&
  value.context !== null

import type { ApprovalTerms } from '../api/approval.ts'
import { rowTarget, withoutFieldValues } from '../database/approval-target.ts'
import type { Tables } from '../database/tables.ts'

/** The credentials of a service that a merchant has configured: to create, change or delete it. */
export const serviceApproval = (
  type: string,
  table: keyof Tables,
  parameter: string,
  members: readonly string[] = ['display_name', 'active', 'fields'],
): ApprovalTerms => ({
  operations: () => ['credentials'],
  target: rowTarget({ type, table, parameter, members: [...members, 'updated_at'] }),
  shownBody: withoutFieldValues,
})

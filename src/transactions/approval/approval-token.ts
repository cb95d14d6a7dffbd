import type { OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'

/** The token of a buyer's approval as the journal keeps it: sealed for its operation. */
export const sealApprovalToken = (
  { cipher }: Pick<World, 'cipher'>,
  operation: string,
  token: string,
): string => cipher.seal('approval-token', token, operation).toString('base64')

/** Undefined: the operation has no token. */
export const openApprovalToken = (
  { cipher }: Pick<World, 'cipher'>,
  { id, input }: OperationRow,
): string | undefined =>
  input.approval_token === undefined
    ? undefined
    : cipher.open('approval-token', Buffer.from(input.approval_token, 'base64'), id)

import { type TSchema, Type } from 'typebox'
import { Nullable } from '../../api/schema.ts'
import { Transaction } from '../transaction.schema.ts'

/**
 * The members of every answer to an action: the status and codes of its operation, and the transaction
 * afterwards.
 */
export const actionAnswer = <Name extends string, Status extends TSchema>(type: Name, status: Status) => ({
  type: Type.Literal(type),
  status,
  code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  transaction: Transaction,
})

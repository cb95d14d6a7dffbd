import { Type } from 'typebox'
import { Nullable } from './schema.ts'

const merchantAccount = { 'x-svc-merchant-account-id': Type.Optional(Nullable(Type.String())) }

/** Which merchant account a request acts on; `authentication` reads it (SEMANTICS §1.5). */
export const merchantAccountHeader = Type.Object(merchantAccount)

/** The headers of an operation that may be sent again under the same idempotency key (SEMANTICS §1.8). */
export const idempotencyHeaders = Type.Object({ ...merchantAccount, 'idempotency-key': Type.Optional(Nullable(Type.String())) })

import { Type } from 'typebox'
import { Described, Nullable } from './schema.ts'

const merchantAccount = {
  'x-svc-merchant-account-id': Type.Optional(
    Nullable(
      Described(
        Type.String(),
        'The merchant account to act on. Absent: the only one that the token or its key may act on, else `default`',
      ),
    ),
  ),
}

/** Names the merchant account that a request acts on; `auth/caller.ts` reads it (semantics §1.5). */
export const merchantAccountHeader = Type.Object(merchantAccount)

const idempotency = {
  ...merchantAccount,
  'idempotency-key': Type.Optional(
    Nullable(
      Described(
        Type.String(),
        'Up to 255 characters that name this request. A request that is sent again under the same key is done once and gets the same answer. With another body it is a 409; the order of members does not matter',
      ),
    ),
  ),
}

/** The headers of an operation that may be sent again under the same idempotency key (semantics §1.8). */
export const idempotencyHeaders = Type.Object(idempotency)

/** The headers of an operation that can answer another resource than the transaction (semantics §1.9). */
export const preferenceHeaders = (resource: string) =>
  Type.Object({
    ...idempotency,
    prefer: Type.Optional(
      Nullable(
        Described(
          Type.Array(Type.String()),
          `\`resource=${resource}\`: the answer is that resource instead of the transaction`,
        ),
      ),
    ),
  })

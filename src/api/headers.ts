import { Type } from 'typebox'
import { Described, Nullable } from './schema.ts'

const merchantAccount = {
  'x-svc-merchant-account-id': Type.Optional(
    Nullable(Described(Type.String(), 'The merchant account to act on; absent: the one that the token or its key is limited to, else `default`')),
  ),
}

/** Which merchant account a request acts on; `authentication` reads it (SEMANTICS §1.5). */
export const merchantAccountHeader = Type.Object(merchantAccount)

const idempotency = {
  ...merchantAccount,
  'idempotency-key': Type.Optional(
    Nullable(
      Described(
        Type.String(),
        'Up to 255 characters that name this request: sent again, it is answered again and done once. With another body it is a 409; the order of its members does not matter',
      ),
    ),
  ),
}

/** The headers of an operation that may be sent again under the same idempotency key (SEMANTICS §1.8). */
export const idempotencyHeaders = Type.Object(idempotency)

/** Those of an operation that answers what `Prefer: resource=<name>` asks for (SEMANTICS §1.9). */
export const preferenceHeaders = (other: string) =>
  Type.Object({
    ...idempotency,
    prefer: Type.Optional(
      Nullable(Described(Type.Array(Type.String()), `\`resource=${other}\` is answered with that resource instead of the transaction`)),
    ),
  })

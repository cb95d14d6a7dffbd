import { type Caller, hasEmbedToken } from './caller.ts'
import type { Embed } from './token.ts'

/** The values that the caller's token fixes; empty for a server's token and for a person (semantics §1.4). */
export const embedConstraintsOf = (caller: Caller): Embed =>
  hasEmbedToken(caller) ? (caller.token.embed ?? {}) : {}

import { type Caller, isEmbedded } from './caller.ts'
import type { Embed } from './token.ts'

/** The values that the caller's token fixes; empty for a server and for a person (SEMANTICS §1.4). */
export const pinsOf = (caller: Caller): Embed => (isEmbedded(caller) ? (caller.token.embed ?? {}) : {})

import { findKeyPairCaller } from '../../accounts/api-keys/key-pair-caller.ts'
import { findUserCaller } from '../../accounts/users/user-caller.ts'
import type { Caller } from '../../api/auth/caller.ts'
import type { World } from '../../world.ts'
import type { ProposalRow } from './proposal.row.ts'

/** The requester with the rights that they have now; undefined: they may not act any more. */
export const requesterOf = (world: World, row: ProposalRow): Promise<Caller | undefined> =>
  row.requester_type === 'user'
    ? findUserCaller(world, row.requester_id)
    : findKeyPairCaller(world, row.requester_id, row.token_scopes ?? [])

/** The body of the proposal's request; undefined: it has none. */
export const openBody = (
  { cipher }: Pick<World, 'cipher'>,
  { merchant_account_id, id, body }: ProposalRow,
): unknown =>
  body === null ? undefined : JSON.parse(cipher.open('proposal-body', body, `${merchant_account_id}/${id}`))

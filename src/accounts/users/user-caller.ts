import type { Caller } from '../../api/auth/caller.ts'
import type { World } from '../../world.ts'
import { isDisabled } from './idle-users.ts'
import { findUser } from './user.store.ts'
import { scopesOfUser } from './user.ts'

/** A person with their present rights, without a session; undefined: they may not sign in. */
export async function findUserCaller(world: World, id: string): Promise<Caller | undefined> {
  const user = await findUser(world, id)
  if (user?.status !== 'active' || isDisabled(user, world.clock.now())) return undefined
  return {
    actor: { type: 'user', id, name: user.name, emailAddress: user.email_address },
    scopes: scopesOfUser(user),
    merchantAccountIds: user.merchant_account_ids,
  }
}

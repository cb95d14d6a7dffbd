import { type Caller, canSeeAccount } from '../../api/auth/caller.ts'
import { notFound } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import { cachedMerchantAccount } from './merchant-account.store.ts'

/** The account of a path. Throws 404 if it does not exist or the caller may not see it. */
export async function visibleAccount(world: World, caller: Caller, id: string): Promise<string> {
  if (!canSeeAccount(caller, id) || !(await cachedMerchantAccount(world, id))) throw notFound()
  return id
}

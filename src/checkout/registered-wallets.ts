import type { World } from '../world.ts'

/** A digital wallet that an account takes cards from (SEMANTICS §11). */
export interface RegisteredWallet {
  provider: 'apple' | 'google' | 'click-to-pay'
  /** What buyers see. */
  merchantName: string
}

/** None can be registered yet. */
export const registeredWallets = async (_world: World, _account: string): Promise<RegisteredWallet[]> => []

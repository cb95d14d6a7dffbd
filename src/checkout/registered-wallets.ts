import type { World } from '../world.ts'
import { listDigitalWallets } from './digital-wallet.store.ts'

/** A digital wallet that an account takes cards from (SEMANTICS §11). */
export interface RegisteredWallet {
  provider: 'apple' | 'google' | 'click-to-pay'
  /** What buyers see. */
  merchantName: string
}

/** Those of the account, by provider. */
export async function registeredWallets(world: World, account: string): Promise<RegisteredWallet[]> {
  const wallets = await listDigitalWallets(world, account)
  return wallets
    .map(({ provider, merchant_name, merchant_display_name }) => ({ provider, merchantName: merchant_display_name ?? merchant_name }))
    .sort((a, b) => (a.provider < b.provider ? -1 : 1))
}

import type { World } from '../../world.ts'
import type { DigitalWalletProvider } from './digital-wallet.schema.ts'

/** A digital wallet whose cards an account takes (semantics §11). */
export interface RegisteredWallet {
  provider: DigitalWalletProvider
  /** The name that buyers see. */
  merchantName: string
}

export async function registeredWallets(
  { db }: Pick<World, 'db'>,
  account: string,
): Promise<RegisteredWallet[]> {
  const rows = await db
    .selectFrom('digital_wallets')
    .select(['provider', 'merchant_name', 'merchant_display_name'])
    .where('merchant_account_id', '=', account)
    .orderBy('provider')
    .execute()
  return rows.map(({ provider, merchant_name, merchant_display_name }) => ({
    provider,
    merchantName: merchant_display_name ?? merchant_name,
  }))
}

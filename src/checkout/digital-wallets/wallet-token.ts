import { createHash } from 'node:crypto'
import { invalid } from '../../api/errors.ts'
import type { OneTimeToken } from '../../operations/journal/intend-payment.ts'
import { openApplePayToken } from '../../vault/wallet-tokens/apple-pay-token.ts'
import { openGooglePayToken } from '../../vault/wallet-tokens/google-pay-token.ts'
import { applePayRoots } from '../../vault/wallet-tokens/trusted-roots.ts'
import { type OpenedWalletToken, RefusedToken } from '../../vault/wallet-tokens/wallet-token.ts'
import type { World } from '../../world.ts'
import { applePayKeys } from './apple-pay.ts'
import { findWalletOfProvider } from './digital-wallet.store.ts'
import { googlePayRecipient, googlePayRoots } from './google-pay.ts'

/** The token of an `ApplePayInput` or `GooglePayInput`, and the amount of the payment. */
export interface WalletTokenInput {
  method: 'applepay' | 'googlepay'
  /** Of Apple's token its `paymentData`; Google's as JSON text or parsed. */
  token: unknown
  /** Smallest unit of the currency. */
  amount: number
  /** ISO 4217, three letters. */
  currency: string
}

/**
 * Verifies and opens the token of a buyer's wallet (semantics §5.1). Throws 400 at `/payment_method/token` if
 * it is forged, damaged, too old or for another merchant, or if the buyer approved less. The commit that
 * writes the payment makes sure that it is used once (`toOneTimeToken`).
 *
 * The approved amount is a limit: shops charge less if something is out of stock. An amount of zero, from a
 * sheet without a total, limits nothing. The currency must be the sheet's. Google's tokens have no amount.
 */
export async function openWalletToken(
  world: World,
  account: string,
  input: WalletTokenInput,
): Promise<OpenedWalletToken> {
  try {
    const opened =
      input.method === 'applepay'
        ? await openApple(world, account, input.token)
        : await openGoogle(world, account, input.token)
    const { approved } = opened
    if (approved && approved.currency !== input.currency)
      throw new RefusedToken(`was approved in ${approved.currency}`)
    if (approved && approved.amount > 0 && approved.amount < input.amount)
      throw new RefusedToken('was approved for a smaller amount')
    return opened
  } catch (error) {
    throw error instanceof RefusedToken ? invalid({ '/payment_method/token': error.message }) : error
  }
}

async function openApple(world: World, account: string, token: unknown): Promise<OpenedWalletToken> {
  const wallet = await findWalletOfProvider(world, account, 'apple')
  if (!wallet) throw invalid({ '/payment_method/method': 'needs an Apple wallet: POST /digital-wallets' })
  const keys = await applePayKeys(world, account, wallet.id)
  return openApplePayToken(token, keys, { roots: applePayRoots(world), now: world.clock.now() })
}

async function openGoogle(world: World, account: string, token: unknown): Promise<OpenedWalletToken> {
  return openGooglePayToken(
    token,
    googlePayRecipient(world, account),
    await googlePayRoots(world),
    world.clock.now(),
  )
}

/**
 * The token in the form in which the commit that writes the payment uses it up, so that a copy of it cannot
 * pay again.
 */
export const toOneTimeToken = ({ source, tokenId, usableUntil }: OpenedWalletToken): OneTimeToken => ({
  source,
  hash: createHash('sha256').update(tokenId).digest('hex'),
  usable_until: new Date(usableUntil).toISOString(),
})

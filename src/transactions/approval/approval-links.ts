import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/**
 * The result in the URL to which the payment service sends the buyer back. Only `cancelled` is believed:
 * otherwise Railyard asks the payment service.
 */
export type ReturnResult = 'approved' | 'cancelled' | 'failed'

type Signer = Pick<World, 'cipher'>

/** The credential in every link of a buyer's approval. */
const returnToken = ({ cipher }: Signer, account: string, id: string) =>
  cipher.mac('approval', `${account}/${id}`).toString('base64url')

/**
 * Where the payment service sends the buyer's browser: to Railyard, which asks the payment service for the
 * result and redirects to the merchant's `redirect_url`.
 */
export const returnUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  id: string,
  result: ReturnResult,
): string => `${world.publicUrl}/approvals/${account}/${id}/${returnToken(world, account, id)}/${result}`

/**
 * Railyard's page that takes a cardholder to the card's issuer (`challenge`), and where the issuer's page
 * sends them afterwards (`authenticated`).
 */
export const challengeUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  id: string,
  step: 'challenge' | 'authenticated',
): string => `${world.publicUrl}/approvals/${account}/${id}/${returnToken(world, account, id)}/${step}`

/** Whether the token is that of this transaction's links. */
export const isReturnToken = (world: Signer, account: string, id: string, token: string): boolean =>
  isSignature(world.cipher, 'approval', `${account}/${id}`, token)

import { isSignature } from '../base/cipher.ts'
import type { World } from '../world.ts'

type Signer = Pick<World, 'cipher'>

const token = ({ cipher }: Signer, account: string, id: string) => cipher.mac('anti-fraud-notification', `${account}/${id}`).toString('base64url')

/** Where an anti-fraud service tells what was decided of a review. The token is its credential. */
export const antiFraudNotificationUrl = (world: Pick<World, 'cipher' | 'publicUrl'>, account: string, id: string): string =>
  `${world.publicUrl}/anti-fraud-notifications/${account}/${id}/${token(world, account, id)}`

/** Whether this is the token of that service's URL. */
export const isAntiFraudNotificationToken = (world: Signer, account: string, id: string, given: string): boolean =>
  isSignature(world.cipher, 'anti-fraud-notification', `${account}/${id}`, given)

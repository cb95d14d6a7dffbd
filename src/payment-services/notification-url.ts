import { isSignature } from '../base/cipher.ts'
import type { World } from '../world.ts'

type Signer = Pick<World, 'cipher'>

const token = ({ cipher }: Signer, account: string, id: string) => cipher.mac('notification', `${account}/${id}`).toString('base64url')

/** Where a payment service tells us that an operation moved on. The token keeps others from making us read its books. */
export const notificationUrl = (world: Pick<World, 'cipher' | 'publicUrl'>, account: string, id: string): string =>
  `${world.publicUrl}/notifications/${account}/${id}/${token(world, account, id)}`

/** Whether this is the token of that service's notification URL. */
export const isNotificationToken = (world: Signer, account: string, id: string, given: string): boolean =>
  isSignature(world.cipher, 'notification', `${account}/${id}`, given)

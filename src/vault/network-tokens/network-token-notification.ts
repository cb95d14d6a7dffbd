import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

const proof = ({ cipher }: Pick<World, 'cipher'>, account: string, id: string) =>
  cipher.mac('token-notification', `${account}/${id}`).toString('base64url')

/** Where the token service says that a scheme changed this token. The last part keeps others from saying so. */
export const tokenNotificationUrl = (world: Pick<World, 'cipher' | 'publicUrl'>, account: string, id: string): string =>
  `${world.publicUrl}/notifications/network-tokens/${account}/${id}/${proof(world, account, id)}`

/** Whether this is the last part of that token's notification URL. */
export const isNotificationProof = (world: Pick<World, 'cipher'>, account: string, id: string, given: string): boolean =>
  isSignature(world.cipher, 'token-notification', `${account}/${id}`, given)

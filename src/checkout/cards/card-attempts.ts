import type { Limit } from '../../api/auth/rate-limit.ts'
import { networkOf } from '../../api/request/client-address.ts'
import { isGlobalUnicast } from '../../outgoing/address.ts'
import type { World } from '../../world.ts'

/** A buyer's browser that tries something to pay with. */
export interface PaymentAttempt {
  account: string
  /** The client's. */
  address: string
  /** Of a card, where one is given in full. */
  number?: string | undefined
}

/**
 * How often buyers' browsers may try to pay: by the address that they come from, and by the first six digits of the cards. It is for what a browser reaches without the merchant's
 * server: payment links, checkout sessions, embed tokens.
 */
export function attemptLimits(world: World, { account, address, number }: PaymentAttempt): Limit[] {
  const { cardAttemptsPerAddress, cardAttemptsPerBin } = world.settings
  const byAddress = cardAttemptsPerAddress > 0 && isPublicAddress(address)
  const byBin = cardAttemptsPerBin > 0 && number !== undefined
  return [
    ...(byAddress
      ? [
          {
            key: `card-attempts/address/${networkOf(address)}`,
            limit: cardAttemptsPerAddress,
            message: 'Too many attempts to pay from this address',
            exceeded: () => world.cardTesting.suspect('address', account),
          },
        ]
      : []),
    ...(byBin
      ? [
          {
            key: `card-attempts/bin/${account}/${number.slice(0, 6)}`,
            limit: cardAttemptsPerBin,
            message: 'Too many attempts with cards of this kind',
            exceeded: () => world.cardTesting.suspect('bin', account),
          },
        ]
      : []),
  ]
}

/** 429 for one gift card number too many that browsers at this address send. */
export function countGiftCardNumbers(world: World, { account, address }: PaymentAttempt, numbers: readonly string[]): void {
  if (isPublicAddress(address)) for (const number of numbers) world.cardTesting.noteGiftCardFrom(networkOf(address), account, number)
}

/** A private address is a proxy's that TRUSTED_PROXIES does not count, and all buyers come from it. An IPv4 one may be written as a socket that takes both kinds does. */
const isPublicAddress = (address: string): boolean => isGlobalUnicast(address.replace(/^::ffff:(?=\d+\.)/i, ''))

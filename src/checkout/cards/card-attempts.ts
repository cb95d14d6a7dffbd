import type { Limit } from '../../api/auth/rate-limit.ts'
import { networkOf } from '../../api/request/client-address.ts'
import { isGlobalUnicast } from '../../outgoing/address.ts'
import type { World } from '../../world.ts'

/** An attempt of a buyer's browser to pay. */
export interface PaymentAttempt {
  account: string
  /** The client's address. */
  address: string
  /** The card number, if the request has it in full. */
  number?: string | undefined
}

/**
 * How often buyers' browsers may try to pay: by their address, and by the first six digits of the cards. The
 * limits are for what a browser can reach without the merchant's server: payment links, checkout sessions,
 * embed tokens.
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

/** Throws 429 if browsers at this address have sent too many different gift card numbers. */
export function countGiftCardNumbers(
  world: World,
  { account, address }: PaymentAttempt,
  numbers: readonly string[],
): void {
  if (isPublicAddress(address))
    for (const number of numbers) world.cardTesting.checkGiftCardNumber(networkOf(address), account, number)
}

/**
 * A private address is a proxy's that TRUSTED_PROXIES does not count, so that all buyers share it. An IPv4
 * address may be written as an IPv6 one, as sockets for both kinds do.
 */
const isPublicAddress = (address: string): boolean =>
  isGlobalUnicast(address.replace(/^::ffff:(?=\d+\.)/i, ''))

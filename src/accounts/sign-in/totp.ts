import { Secret, TOTP } from 'otpauth'
import type { World } from '../../world.ts'

const PERIOD_SECONDS = 30
/**
 * The codes of this many time steps before and after the current one are accepted: clocks differ, and typing
 * takes time (RFC 6238 §5.2).
 */
const WINDOW = 1

const generatorOf = (secret: string, label?: string) =>
  new TOTP({
    issuer: 'Railyard',
    ...(label !== undefined && { label }),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  })

/** A random secret of 160 bits (RFC 4226 §4), in base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** The `otpauth://` URI that authenticator apps read, mostly as a QR code. */
export const totpUri = (secret: string, emailAddress: string): string =>
  generatorOf(secret, emailAddress).toString()

/**
 * The time step (RFC 6238 §4.2) of this code; undefined if the code is of no step that is accepted at `now`,
 * in milliseconds.
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const generator = generatorOf(secret)
  const delta = generator.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : generator.counter({ timestamp: now }) + delta
}

export const sealTotpSecret = ({ cipher }: Pick<World, 'cipher'>, userId: string, secret: string): Buffer =>
  cipher.seal('user-totp', secret, userId)

export const openTotpSecret = ({ cipher }: Pick<World, 'cipher'>, userId: string, sealed: Buffer): string =>
  cipher.open('user-totp', sealed, userId)

import { createPublicKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { Type } from 'typebox'
import { gatewayTimeout } from '../../api/errors.ts'
import { Compile } from '../../base/compile.ts'
import { derivedKey } from '../../vault/keys/derived-key.ts'
import {
  type GooglePayRecipient,
  publicKeyOf,
  type RootKey,
} from '../../vault/wallet-tokens/google-pay-token.ts'
import { sandboxRootKey } from '../../vault/wallet-tokens/trusted-roots.ts'
import type { World } from '../../world.ts'

type Instance = Pick<World, 'settings' | 'cipher'>

/** The form that semantics §11 prescribes: it tells Google, and us, which merchant of the gateway is paid. */
export const gatewayMerchantId = ({ settings }: Instance, account: string): string =>
  `app.svc.${settings.environment}.${settings.googlePayGateway}.${account}`

/** Google encrypts for the gateway, which is this instance: one key for all of its merchants. */
export const googlePayRecipient = (world: Instance, account: string): GooglePayRecipient => ({
  recipientId: `gateway:${world.settings.googlePayGateway}`,
  gatewayMerchantId: gatewayMerchantId(world, account),
  privateKeys: [derivedKey(world.cipher, 'google-pay', 'encryption 1')],
})

/** The public key to register with Google, in the form that Google wants: an uncompressed point in base64. */
export function googlePayPublicKey({ cipher }: Pick<World, 'cipher'>): string {
  const { x = '', y = '' } = derivedKey(cipher, 'google-pay', 'encryption 1').export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64',
  )
}

/**
 * Lets the pages of a domain use Google Pay through this gateway (Google Pay API, `merchantInfo.authJwt`).
 */
export const googlePayAuthorization = (
  world: Instance & Pick<World, 'clock'>,
  account: string,
  origin: string,
): Promise<string> =>
  new SignJWT({ merchantId: gatewayMerchantId(world, account), merchantOrigin: origin })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
    .setIssuedAt(Math.floor(world.clock.now() / 1_000))
    .sign(derivedKey(world.cipher, 'google-pay', 'session 1'))

const ROOT_KEYS = 'https://payments.developers.google.com/paymentmethodtoken/keys.json'
const HOUR_MS = 3_600_000

const RootKeys = Compile(
  Type.Object({
    keys: Type.Array(
      Type.Object({
        keyValue: Type.String(),
        protocolVersion: Type.String(),
        keyExpiration: Type.Optional(Type.String({ pattern: '^\\d{1,15}$' })),
      }),
    ),
  }),
)

/** Fetched once an hour. The key is the HTTP client, so that the entries end with their world. */
const cachedRootKeys = new WeakMap<World['http'], { keys: RootKey[]; until: number }>()

/**
 * The keys that may sign Google Pay tokens: Google's, or in the sandbox those of its own devices. Throws 504
 * if Google's cannot be fetched.
 */
export async function googlePayRoots(world: World): Promise<readonly RootKey[]> {
  if (world.settings.environment === 'sandbox')
    return [{ key: createPublicKey(sandboxRootKey(world)), expires: null }]
  const cached = cachedRootKeys.get(world.http)
  const now = world.clock.now()
  if (cached && cached.until > now) return cached.keys
  const answer = await world.http.request({ method: 'GET', url: ROOT_KEYS })
  const keys = answer.lost || answer.status !== 200 ? undefined : readRootKeys(answer.body)
  // keys that Google has declared valid for years are used while it cannot be reached
  if (!keys && cached) return cached.keys
  if (!keys) throw gatewayTimeout()
  cachedRootKeys.set(world.http, { keys, until: now + HOUR_MS })
  return keys
}

/** The keys of the protocol version that is supported here; undefined: there are none. */
export function readRootKeys(body: unknown): RootKey[] | undefined {
  if (!RootKeys.Check(body)) return undefined
  const usable = body.keys.filter(
    ({ protocolVersion, keyExpiration }) => protocolVersion === 'ECv2' && keyExpiration !== undefined,
  )
  const keys = usable.map(({ keyValue, keyExpiration }) => ({
    key: publicKeyOf(keyValue),
    expires: Number(keyExpiration),
  }))
  return keys.length > 0 ? keys : undefined
}

import { createPrivateKey } from 'node:crypto'
import { createRailyard, type Railyard, type RailyardOptions } from '@railyard/client'
import { insertKeyPair } from '../../../src/accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../../../src/accounts/api-keys/private-key.ts'
import type { Algorithm } from '../../../src/api/auth/token.ts'
import type { TestRailyard } from '../../support/railyard.ts'

/** A new key pair of an administrator: its private key as PEM and as JWK. */
export async function newKey({ world }: Pick<TestRailyard, 'world'>, algorithm: Algorithm = 'ES256') {
  const { privateKeyPem, publicJwk, thumbprint } = await generateKey(algorithm)
  await insertKeyPair(world, {
    displayName: 'Client',
    algorithm,
    thumbprint,
    publicJwk,
    roleIds: ['administrator'],
    merchantAccountIds: [],
  })
  return { pem: privateKeyPem, jwk: createPrivateKey(privateKeyPem).export({ format: 'jwk' }), thumbprint }
}

/** A client with a key of its own, on an account of its own that takes cards. */
export async function startClient(
  railyard: TestRailyard,
  options: Partial<RailyardOptions> = {},
): Promise<Railyard> {
  const { account } = await railyard.merchant()
  const { pem } = await newKey(railyard)
  return createRailyard({ baseUrl: railyard.url, privateKey: pem, merchantAccount: account, ...options })
}

/** A payment that the sandbox accepts. */
export const payment = {
  amount: 1299,
  currency: 'USD',
  country: 'US',
  payment_method: {
    method: 'card',
    number: '4111111111111111',
    expiration_date: '12/35',
    security_code: '123',
  },
} as const

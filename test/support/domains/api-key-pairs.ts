import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'vitest'
import { readSigner, signToken } from '../../../src/accounts/api-keys/private-key.ts'
import type { Client, TestRailyard } from '../railyard.ts'
import { roleIds } from '../roles.ts'

export const pair = (more: object = {}) => ({
  display_name: 'Shop backend',
  role_ids: roleIds('processing'),
  ...more,
})

export const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' })

export const publicKey = (namedCurve = 'P-521') => pem(generateKeyPairSync('ec', { namedCurve }).publicKey)

/** Creates key pairs through the API, and uses them. */
export function keyPairsOf(railyard: TestRailyard, admin: Client) {
  const made = async (more: object = {}, by = admin) => {
    const { status, body } = await by.post('/api-key-pairs', pair(more))
    expect({ status, body }).toMatchObject({ status: 201 })
    return body
  }

  const bearerOf = async (privateKey: string, scopes = ['*.read', '*.write']) => ({
    authorization: `Bearer ${await signToken(await readSigner(privateKey), { scopes, expiresIn: 300 }, railyard.clock.now())}`,
  })

  const lists = async (privateKey: string) =>
    (await railyard.send('GET', '/transactions', { headers: await bearerOf(privateKey) })).status

  return { made, bearerOf, lists }
}

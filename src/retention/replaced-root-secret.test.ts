import { expect, test } from 'vitest'
import { retire, startWithDuePayment, verifyFindings } from '../../test/support/domains/retention.ts'
import { sealedLogs } from '../background/seal-logs.ts'
import { sealRetirementsUnderNewSecret } from '../database/logs/retirement-seal.ts'
import { sealUnderNewSecret } from '../database/logs/seal-chain.ts'
import { announceRootSecret, useRootSecret } from '../vault/keys/root-secret.ts'

test('payments stay where the root secret is replaced after their retirement was sealed, and go afterwards', async () => {
  const railyard = await startWithDuePayment()
  const { world } = railyard
  /** As `keys replace-root-secret` does beside a process that retires payments. */
  const replace = async () => {
    await useRootSecret(world.run, await announceRootSecret(world.db, world.keys))
    await world.rootSecrets.refresh()
    for (const chain of sealedLogs) await sealUnderNewSecret(world, chain)
    await sealRetirementsUnderNewSecret(world)
  }
  let isSealed = false
  let isReplaced = false
  const cipher: typeof world.cipher = {
    ...world.cipher,
    mac(...sealed) {
      isSealed ||= sealed[0] === 'retirement-seal'
      return world.cipher.mac(...sealed)
    },
  }
  const db = world.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isSealed && !isReplaced) {
        isReplaced = true
        await replace()
      }
      return result
    },
  })
  expect(await retire({ world: { ...world, db, cipher } })).toBe(0)
  expect(world.cipher.generation()).toBe(2)
  expect(await retire(railyard)).toBe(5)
  expect(await verifyFindings(railyard)).toEqual([])
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertKeyPair } from '../accounts/api-keys/api-key-pair.store.ts'
import { generateKey, readSigner } from '../accounts/api-keys/private-key.ts'
import { insertAccountShard } from '../accounts/merchant-accounts/merchant-account.store.ts'
import { timeOf } from '../base/clock.ts'
import { writeSecretOnce } from '../base/data-dir.ts'
import type { Changes } from '../database/changes.ts'
import type { Settings } from '../settings.ts'
import { loadBins, sandboxBins } from '../vault/cards/bin-import.ts'
import type { World } from '../world.ts'
import { insertSandboxServices } from './sandbox-services.ts'

/** The file of the private key of an instance's first key pair. */
export const privateKeyFile = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'private_key.pem')

/**
 * Inserts the first rows of a new instance: the merchant account `default`, an administrator's key pair (its
 * private key goes to `DATA_DIR`), and in the sandbox a payment service of each kind and a gift card service,
 * so that the first payment needs no configuration. Returns false if the database has an instance already.
 */
export async function createInstance(world: World): Promise<boolean> {
  const existing = await world.db
    .selectFrom('merchant_accounts')
    .select('id')
    .where('id', '=', 'default')
    .executeTakeFirst()
  if (existing) return false
  const key = await firstKey(world.settings)
  const now = timeOf(world.clock)
  const created = await world.db.transaction().execute(async (db) => {
    const account = await db
      .insertInto('merchant_accounts')
      .values({
        id: 'default',
        display_name: 'Default',
        account_updater_enabled: false,
        async_network_tokens_enabled: false,
        identifiers: '{}',
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!account) return false
    await insertAccountShard(db, account.id)
    const pair = { displayName: 'First key', ...key, roleIds: ['administrator'], merchantAccountIds: [] }
    const transaction = { ...world, db, changes: noChanges }
    await insertKeyPair(transaction, pair)
    if (world.settings.environment === 'sandbox') {
      await loadBins(db, sandboxBins)
      await insertSandboxServices(transaction, 'default')
    }
    return true
  })
  for (const topic of [
    'merchant_accounts',
    'api_key_pairs',
    'payment_services',
    'gift_card_services',
    'bins',
  ] as const)
    world.changes.invalidate(topic)
  return created
}

/** Announces nothing: other connections do not see the rows before the commit. */
const noChanges: Changes = {
  invalidate: () => undefined,
  subscribe: () => undefined,
  isReliable: true,
  close: async () => undefined,
}

/** The key pair of `DATA_DIR/private_key.pem`. The file of a start that died half-way is used. */
async function firstKey(settings: Settings) {
  const file = privateKeyFile(settings)
  await writeSecretOnce(file, (await generateKey('ES512')).privateKeyPem)
  const { algorithm, thumbprint, publicJwk } = await readSigner(await readFile(file, 'utf8'))
  return { algorithm, thumbprint, publicJwk }
}

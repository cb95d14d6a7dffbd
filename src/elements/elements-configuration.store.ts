import { sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { changeWithAudit } from '../database/logs/audit-log.ts'
import type { World } from '../world.ts'

/** The origins that the account allows; none before it has set any. */
export async function allowedOriginsOf(world: Pick<World, 'db'>, account: string): Promise<string[]> {
  const row = await world.db
    .selectFrom('elements_configurations')
    .select('allowed_origins')
    .where('merchant_account_id', '=', account)
    .executeTakeFirst()
  return row?.allowed_origins ?? []
}

/** Replaces the list. An audit entry is written if it changes. */
export async function setAllowedOrigins(
  world: World,
  account: string,
  allowedOrigins: readonly string[],
): Promise<void> {
  const now = timeOf(world.clock)
  const allowed_origins = JSON.stringify(allowedOrigins)
  await changeWithAudit(
    world,
    (db) =>
      db
        .insertInto('elements_configurations')
        .values({ merchant_account_id: account, allowed_origins, created_at: now, updated_at: now })
        .onConflict((conflict) =>
          conflict
            .column('merchant_account_id')
            .doUpdateSet({ allowed_origins, updated_at: now })
            .where(
              sql<boolean>`elements_configurations.allowed_origins is distinct from excluded.allowed_origins`,
            ),
        )
        .returning('merchant_account_id')
        .executeTakeFirst(),
    () => ({
      account,
      action: 'updated',
      resource: { type: 'elements-configuration', id: account, name: null },
    }),
  )
}

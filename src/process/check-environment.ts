import { InvalidSetting, type Settings } from '../settings.ts'
import type { World } from '../world.ts'

/**
 * Binds a database to the environment of its first start, and refuses a start in the other one: its payment
 * services do not exist there, and the sandbox shows secrets that production keeps. Throws `InvalidSetting`.
 */
export async function checkEnvironment(
  db: World['db'],
  { environment }: Pick<Settings, 'environment'>,
): Promise<void> {
  const recorded = (await readEnvironment(db)) ?? (await recordEnvironment(db, environment))
  if (recorded !== environment)
    throw new InvalidSetting(
      `this database is of RAILYARD_ENV=${recorded}, and this start is of ${environment}: set RAILYARD_ENV, or use another database`,
    )
}

const readEnvironment = async (db: World['db']): Promise<Settings['environment'] | undefined> =>
  (await db.selectFrom('instance_environment').select('environment').executeTakeFirst())?.environment

/** Of two first starts at once, one decides; both read what it wrote. */
async function recordEnvironment(
  db: World['db'],
  environment: Settings['environment'],
): Promise<Settings['environment'] | undefined> {
  await db
    .insertInto('instance_environment')
    .values({ environment })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return readEnvironment(db)
}

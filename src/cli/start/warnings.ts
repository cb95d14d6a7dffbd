import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner } from '../../accounts/api-keys/private-key.ts'
import { findSigningKey } from '../../accounts/api-keys/signing-key.ts'
import { checkArchive } from '../../archive/check-folder.ts'
import { ownershipProblem } from '../../database/partitions/table-owner.ts'
import { privilegeProblems } from '../../database/postgres/missing-privileges.ts'
import { durabilityProblems } from '../../database/postgres/server-durability.ts'
import { isSimulatorAnswering } from '../../observability/health.routes.ts'
import { privateKeyFile } from '../../process/create-instance.ts'
import type { Railyard } from '../../process/railyard.ts'
import { partitionSize } from '../../retention/partition-size.ts'
import { InvalidSetting, misspeltSettings, type Settings } from '../../settings.ts'
import { keyFileOf } from '../../vault/keys/key-file.ts'
import type { World } from '../../world.ts'

const TIMEOUT_MS = 2_000

/**
 * Warnings for the operator at the start of a service that runs: a setting is misspelt, no payment can succeed,
 * links lead nowhere, or a copy of one folder has every secret.
 */
export async function warnings({ world }: Railyard): Promise<string[]> {
  const { environment, sandboxUrl, publicUrl } = world.settings
  const found = misspeltSettings(Object.keys(process.env)).map(
    ({ name, meant }) => `${name} is not a setting and has no effect: is ${meant} meant?`,
  )
  if (environment === 'production' && !publicUrl?.startsWith('https:'))
    found.push(
      `PUBLIC_URL is ${publicUrl ? 'on this machine' : 'unset'}: payment links, invitations and the pages that buyers come back to lead to ${world.publicUrl}`,
    )
  if (environment === 'production' && isEmbedded(world.settings))
    found.push(...(await keysBesideDatabase(world)))
  if (environment === 'sandbox' && sandboxUrl && !(await isReachable(world, sandboxUrl)))
    found.push(
      `the simulated payment services do not answer at SANDBOX_URL, ${sandboxUrl}: start them with npm run railyard -- sandbox, or correct the address; no payment is taken until then`,
    )
  if (world.settings.databaseUrl)
    found.push(...(await durabilityProblems(world)), ...(await privilegeProblems(world)))
  found.push(...(await undividedTables(world)), ...(await unusableArchive(world)))
  if (world.connectors.size === 0)
    found.push(
      'this version has no payment service for production: every payment is refused. See docs/plan.md',
    )
  else if (!(await hasPaymentService(world)))
    found.push(
      'no merchant account has a payment service, so every payment is refused: POST /payment-services makes one (docs/guides/merchant-accounts.md)',
    )
  return found
}

/** Warns of a worker that cannot do what `PARTITION_ROWS` and `RETENTION_MONTHS` ask for. */
async function undividedTables({ db, settings }: World): Promise<string[]> {
  if (settings.processRole === 'api' || partitionSize(settings) === undefined) return []
  const problem = await ownershipProblem(db)
  return problem === undefined
    ? []
    : [
        `${problem}: run railyard partitions cut, and with RETENTION_MONTHS also railyard partitions retire --yes, as that role when they are due (docs/operations/partitions.md)`,
      ]
}

/** Warns of a worker that cannot read the files of retired payments: its reports fail, and everything else goes on. */
async function unusableArchive({ run, settings }: World): Promise<string[]> {
  if (settings.processRole === 'api') return []
  try {
    await checkArchive(run, settings)
    return []
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error
    return [`${error.message} (until then, reports that need the files fail, and no payments are retired)`]
  }
}

const isEmbedded = ({ databaseUrl }: Settings) => databaseUrl === undefined

/**
 * Warns of keys in `DATA_DIR` beside the embedded database: each copy, backup and snapshot of the folder has
 * them in the clear.
 */
async function keysBesideDatabase(world: World): Promise<string[]> {
  const { settings } = world
  const found: string[] = []
  if (!settings.encryptionKey && !settings.kmsUrl)
    found.push(
      `the encryption key is ${keyFileOf(settings)}, beside the database that it opens: a copy of that folder is a copy of every stored card. Set ENCRYPTION_KEY from a secret store, or KMS_URL (docs/operations/keys.md)`,
    )
  const file = privateKeyFile(settings)
  const signer = await readFile(file, 'utf8')
    .then(readSigner)
    .catch(() => undefined)
  if (signer && (await findSigningKey(world, signer.thumbprint)))
    found.push(
      `${file} is the private key of an administrator, beside the database: make key pairs that can do less (POST /api-key-pairs, keys create), then revoke this one (keys revoke) or move the file away`,
    )
  return found
}

const isReachable = async (world: World, sandboxUrl: string): Promise<boolean> =>
  (await Promise.race([
    isSimulatorAnswering(world, sandboxUrl),
    wait(TIMEOUT_MS, undefined, { ref: false }),
  ])) === true

async function hasPaymentService({ db }: World): Promise<boolean> {
  const one = await db
    .selectFrom('payment_services')
    .select('id')
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return one !== undefined
}

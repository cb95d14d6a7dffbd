import { InvalidSetting, type Settings } from '../settings.ts'

/**
 * Throws `InvalidSetting` if a process of several lacks something that they must share: PostgreSQL,
 * PUBLIC_URL, the sandbox's providers.
 */
export function checkProcessRole({
  processRole,
  databaseUrl,
  publicUrl,
  environment,
  sandboxUrl,
}: Settings): void {
  if (processRole === 'all') return
  if (!databaseUrl)
    throw new InvalidSetting(
      `ROLE: ${processRole} needs PostgreSQL (DATABASE_URL); the embedded database has one process, ROLE=all`,
    )
  if (processRole === 'worker' && !publicUrl)
    throw new InvalidSetting(
      'PUBLIC_URL must be set for ROLE=worker: the links that it writes lead to the API, which is another process',
    )
  if (environment === 'production' && !publicUrl)
    throw new InvalidSetting(
      'PUBLIC_URL must be set for ROLE=api in production: the links that it writes are for other machines',
    )
  if (environment === 'sandbox' && !sandboxUrl)
    throw new InvalidSetting(
      `SANDBOX_URL must be set for ROLE=${processRole}: the sandbox's providers are one for all processes; ${RUN_SANDBOX_SEPARATELY}`,
    )
}

/** One simulator for all processes: two would have two books. */
export const RUN_SANDBOX_SEPARATELY =
  'run them by themselves with `npm run railyard -- sandbox --port 8090` and set SANDBOX_URL=http://127.0.0.1:8090 for each process'

import { InvalidSetting, type Settings } from '../settings.ts'

/** Refuses the part of a process that could not do it: one process of several cannot be without what they share. Throws `InvalidSetting`. */
export function checkProcessRole({ role, databaseUrl, publicUrl, environment, sandboxUrl }: Settings): void {
  if (role === 'all') return
  if (!databaseUrl) throw new InvalidSetting(`ROLE: ${role} needs PostgreSQL (DATABASE_URL); the embedded database has one process, ROLE=all`)
  if (role === 'worker' && !publicUrl)
    throw new InvalidSetting('PUBLIC_URL must be set for ROLE=worker: the links that it writes lead to the API, which is another process')
  if (environment === 'sandbox' && !sandboxUrl)
    throw new InvalidSetting(`SANDBOX_URL must be set for ROLE=${role}: the sandbox's providers are one for all processes; ${RUN_SANDBOX_SEPARATELY}`)
}

/** Two simulators of one database would have two books. */
export const RUN_SANDBOX_SEPARATELY =
  'run them by themselves with `npm run railyard -- sandbox --port 8090` and set SANDBOX_URL=http://127.0.0.1:8090 for each process'

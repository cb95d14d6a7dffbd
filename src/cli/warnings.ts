import { setTimeout as wait } from 'node:timers/promises'
import type { Railyard } from '../railyard.ts'
import type { World } from '../world.ts'

const PATIENCE_MS = 2_000

/** What a person should know at the start, though the service runs: with these, no payment can succeed. */
export async function warnings({ world }: Railyard): Promise<string[]> {
  const { environment, sandboxUrl, publicUrl } = world.settings
  const found: string[] = []
  if (environment === 'production' && !publicUrl?.startsWith('https:'))
    found.push(
      `PUBLIC_URL is ${publicUrl ? 'on this machine' : 'unset'}: payment links, invitations and the pages that buyers come back to lead to ${world.publicUrl}`,
    )
  if (environment === 'sandbox' && sandboxUrl && !(await answers(world, sandboxUrl)))
    found.push(`nobody answers at SANDBOX_URL, ${sandboxUrl}: start the providers with npx railyard sandbox, no payment is taken until then`)
  if (world.settings.databaseUrl) found.push(...(await losses(world)))
  if (world.connectors.size === 0) found.push('this version has no payment service for production: every payment is refused. See docs/plan.md')
  else if (!(await hasPaymentService(world)))
    found.push('no merchant account has a payment service, so every payment is refused: POST /payment-services makes one (README, "More merchants")')
  return found
}

async function answers({ http }: World, sandboxUrl: string): Promise<boolean> {
  const asked = http.request({ method: 'GET', url: `${sandboxUrl}/faults` })
  const answer = await Promise.race([asked, wait(PATIENCE_MS, undefined, { ref: false })])
  return answer !== undefined && !answer.lost
}

const safety = `select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`

/** What the database server has switched off that keeps a commit through a crash of its machine. No connection can switch it on. */
async function losses({ run }: Pick<World, 'run'>): Promise<string[]> {
  const off = await run<{ name: string }>(safety, [])
  return off.map(
    ({ name }) =>
      `the database server runs with ${name}=off: payments that were answered may be lost, or the database broken, when its machine fails`,
  )
}

async function hasPaymentService({ db }: World): Promise<boolean> {
  const one = await db.selectFrom('payment_services').select('id').where('deleted_at', 'is', null).limit(1).executeTakeFirst()
  return one !== undefined
}

import { isUuid } from '../api/server/validation.ts'
import { toStandardWebhooksSecret } from '../events/delivery/signature.ts'
import {
  deleteWebhookSubscription,
  insertWebhookSubscription,
  listWebhookSubscriptions,
  openWebhookSecrets,
} from '../events/subscriptions/webhook-subscription.store.ts'
import { urlProblem } from '../outgoing/url-problem.ts'
import type { Settings } from '../settings.ts'
import { openVault } from '../vault/open-vault.ts'
import { runAsCommandLine } from './command-line-actor.ts'
import { commandStore, withDatabase } from './keys/keys.ts'
import { UserError } from './user-error.ts'

const ofInstance = { account: null, ofInstance: true }

/** `railyard webhooks add`: a subscription of the whole instance, which is told of every account's events. */
export const addWebhook = (settings: Settings, url: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    const problem = urlProblem(settings, url)
    if (problem) throw new UserError(`the URL ${problem}`)
    const { cipher, masterKeys } = await openVault(database.db, settings)
    try {
      const here = { ...database, ...commandStore(database), cipher }
      const row = await runAsCommandLine(() =>
        insertWebhookSubscription(here, { account: null, url, active: true, authentication: null, creator: null }),
      )
      const [secret = ''] = openWebhookSecrets(here, row).signing
      console.log(
        [
          `Webhook subscription ${row.id}, of every merchant account`,
          `  url               ${url}`,
          `  secret            ${secret}`,
          `  standardwebhooks  ${toStandardWebhooksSecret(secret)}`,
        ].join('\n'),
      )
    } finally {
      await masterKeys.close()
    }
  })

/** No instance has more. */
const ALL = { limit: 1_000, position: undefined }

/** `railyard webhooks list`. */
export const listWebhooks = (settings: Settings): Promise<void> =>
  withDatabase(settings, async (database) => {
    const rows = await listWebhookSubscriptions(database, ofInstance, ALL)
    if (rows.length === 0) return console.log('There is no webhook subscription of the whole instance; railyard webhooks add makes one')
    for (const { id, active, created_at, url } of rows) console.log(`${id}  ${active ? 'active  ' : 'inactive'}  since ${created_at}  ${url}`)
  })

/** `railyard webhooks remove`: nothing more is sent to it. */
export const removeWebhook = (settings: Settings, id: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    const here = { ...database, ...commandStore(database) }
    if (!isUuid(id) || !(await runAsCommandLine(() => deleteWebhookSubscription(here, ofInstance, id))))
      throw new UserError(`there is no webhook subscription ${id} of the whole instance; see railyard webhooks list`)
    console.log(`Removed ${id}`)
  })

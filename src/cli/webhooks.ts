import { isUuid } from '../api/values/uuid.ts'
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
import { commandStore, withDatabase, withNewOrExistingDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { UserError } from './support/user-error.ts'

const ofInstance = { account: null, ofInstance: true }

/** `railyard webhooks add`: adds a subscription of the whole instance, which gets every account's events. */
export const addWebhook = (settings: Settings, url: string): Promise<void> =>
  withNewOrExistingDatabase(settings, async (database) => {
    const problem = urlProblem(settings, url)
    if (problem) throw new UserError(`the URL ${problem}`)
    const { cipher, masterKeys } = await openVault(database.db, settings)
    try {
      const store = { ...database, ...commandStore(database), cipher }
      const row = await runAsCommandLine(() =>
        insertWebhookSubscription(store, {
          account: null,
          url,
          active: true,
          authentication: null,
          creator: null,
        }),
      )
      const [secret = ''] = openWebhookSecrets(store, row).signing
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

/** More than an instance may have. */
const ALL = { limit: 1_000, position: undefined }

/** `railyard webhooks list`: prints the subscriptions of the whole instance. */
export const listWebhooks = (settings: Settings): Promise<void> =>
  withDatabase(settings, async (database) => {
    const rows = await listWebhookSubscriptions(database, ofInstance, ALL)
    if (rows.length === 0)
      return console.log(
        'There is no webhook subscription of the whole instance; railyard webhooks add makes one',
      )
    for (const { id, active, created_at, url } of rows)
      console.log(`${id}  ${active ? 'active  ' : 'inactive'}  since ${created_at}  ${url}`)
  })

/** `railyard webhooks remove`: deletes a subscription; nothing more is sent to it. */
export const removeWebhook = (settings: Settings, id: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    const store = { ...database, ...commandStore(database) }
    if (!isUuid(id) || !(await runAsCommandLine(() => deleteWebhookSubscription(store, ofInstance, id))))
      throw new UserError(
        `there is no webhook subscription ${id} of the whole instance; see railyard webhooks list`,
      )
    console.log(`Removed ${id}`)
  })

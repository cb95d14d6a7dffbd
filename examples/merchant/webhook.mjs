import { verifyWebhook } from '@railyard/client'

/** A real shop has both in its database, and writes them in one commit with what the event makes it do. */
const handled = new Set()
const newest = new Map()

/**
 * Takes a delivery, and answers the status. Anything but a 2xx, and Railyard sends the event again. Without
 * `WEBHOOK_SECRET` no delivery is believed.
 */
export async function receive(headers, body) {
  const event = await verifyWebhook(body, headers, process.env.WEBHOOK_SECRET ?? []).catch(() => undefined)
  if (!event) return 401
  const { id, name, sequence, target } = event
  // sent again, since our answer was lost
  if (handled.has(id)) return 204
  handled.add(id)
  // a replay may bring an earlier state of the resource
  if (sequence > (newest.get(target.id)?.sequence ?? 0)) newest.set(target.id, { sequence, name, target })
  return 204
}

/** How many events there were, and each resource as the newest of its events has it. */
export const told = () => ({ events: handled.size, resources: [...newest.values()] })

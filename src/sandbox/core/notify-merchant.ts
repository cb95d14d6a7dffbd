import { withWrongIds } from '../faults/distort-answer.ts'
import { type FaultOperation, MAX_DELAY_MS, type NotificationFault } from '../faults/fault.schema.ts'
import { type AppliedFault, applyNotificationFault } from '../faults/faults.ts'
import { logNormal } from '../faults/seeded-random.ts'
import { runAfter, type Sandbox } from '../sandbox.ts'
import { postNotification } from './post-notification.ts'
import type { NotificationMessage } from './provider-messages.ts'

/** A notification to send, and the operation that it is about. */
interface OutgoingNotification {
  sandbox: Sandbox
  payment_service_id: string
  operation: FaultOperation
  bin: string | null
  url: string
  message: NotificationMessage
}

/** Posts a notification to the merchant, with the fault that applies to it, if any. */
export async function notifyMerchant(notification: OutgoingNotification): Promise<void> {
  const { sandbox } = notification
  const fault =
    sandbox.faults.length === 0
      ? null
      : applyNotificationFault(sandbox.faults, { ...notification, repeatable: false }, sandbox.clock.now())
  if (fault) await notificationFaultEffects[fault.item.kind](notification, fault)
  else await sendNotification(notification)
}

/** Sends a notification, and after it those that were delayed so that another one overtakes them. */
async function sendNotification({
  sandbox,
  payment_service_id,
  url,
  message,
}: OutgoingNotification): Promise<void> {
  await postNotification(url, message, sandbox.ending.signal)
  const overtaken = sandbox.delayedNotifications.get(payment_service_id) ?? []
  sandbox.delayedNotifications.delete(payment_service_id)
  for (const release of overtaken) release()
}

const LATE_MS = 5_000

type NotificationFaultEffect = (
  notification: OutgoingNotification,
  fault: AppliedFault<NotificationFault>,
) => void | Promise<void>

/** The effect of each fault (docs/reference/faults.md). */
const notificationFaultEffects: Record<NotificationFault, NotificationFaultEffect> = {
  notification_lost() {},
  async notification_duplicate(notification) {
    await sendNotification(notification)
    await sendNotification(notification)
  },
  notification_late(notification, { item: { delay_ms: delay = LATE_MS }, draw }) {
    runAfter(
      notification.sandbox,
      typeof delay === 'number' ? delay : logNormal(draw, delay, MAX_DELAY_MS),
      () => sendNotification(notification),
    )
  },
  notification_reordered(notification) {
    const { sandbox, payment_service_id } = notification
    let isSent = false
    const release = () => {
      if (isSent) return
      isSent = true
      void sendNotification(notification).catch(() => undefined)
    }
    sandbox.delayedNotifications.set(payment_service_id, [
      ...(sandbox.delayedNotifications.get(payment_service_id) ?? []),
      release,
    ])
    // sent in the end even if no other notification follows
    runAfter(sandbox, LATE_MS, release)
  },
  /** Sends a notification with unknown ids first; its signature belongs to another body. */
  async notification_forged(notification) {
    const body = withWrongIds(notification.message.body, notification.sandbox.ids.next)
    await postNotification(
      notification.url,
      { ...notification.message, body },
      notification.sandbox.ending.signal,
    )
    await sendNotification(notification)
  },
}

import { withWrongIds } from '../faults/distort-answer.ts'
import { type FaultOperation, MAX_DELAY_MS, type NotificationFault } from '../faults/fault.schema.ts'
import { applyNotificationFault, type AppliedFault as StruckFault } from '../faults/faults.ts'
import { logNormal } from '../faults/seeded-random.ts'
import { runAfter, type Sandbox } from '../sandbox.ts'
import { postNotification } from './post-notification.ts'
import type { NotificationMessage } from './provider-messages.ts'

/** A notification on its way, and what it is about. */
interface OutgoingNotification {
  sandbox: Sandbox
  payment_service_id: string
  operation: FaultOperation
  bin: string | null
  url: string
  message: NotificationMessage
}

/** Tells a merchant's notification URL something, with the fault that strikes it, if any. */
export async function notifyMerchant(told: OutgoingNotification): Promise<void> {
  const { sandbox } = told
  const fault = sandbox.faults.length === 0 ? null : applyNotificationFault(sandbox.faults, { ...told, repeatable: false }, sandbox.clock.now())
  if (fault) await notificationFaultEffects[fault.item.kind](told, fault)
  else await sendNotification(told)
}

/** What was held back for something else to overtake it follows. */
async function sendNotification({ sandbox, payment_service_id, url, message }: OutgoingNotification): Promise<void> {
  await postNotification(url, message, sandbox.ending.signal)
  const overtaken = sandbox.delayedNotifications.get(payment_service_id) ?? []
  sandbox.delayedNotifications.delete(payment_service_id)
  for (const release of overtaken) release()
}

const LATE_MS = 5_000

type NotificationFaultEffect = (told: OutgoingNotification, fault: StruckFault<NotificationFault>) => void | Promise<void>

/** What each fault does (docs/faults.md). */
const notificationFaultEffects: Record<NotificationFault, NotificationFaultEffect> = {
  notification_lost() {},
  async notification_duplicate(told) {
    await sendNotification(told)
    await sendNotification(told)
  },
  notification_late(told, { item: { delay_ms: delay = LATE_MS }, draw }) {
    runAfter(told.sandbox, typeof delay === 'number' ? delay : logNormal(draw, delay, MAX_DELAY_MS), () => sendNotification(told))
  },
  notification_reordered(told) {
    const { sandbox, payment_service_id } = told
    let isTold = false
    const release = () => {
      if (isTold) return
      isTold = true
      void sendNotification(told).catch(() => undefined)
    }
    sandbox.delayedNotifications.set(payment_service_id, [...(sandbox.delayedNotifications.get(payment_service_id) ?? []), release])
    // nothing may follow it
    runAfter(sandbox, LATE_MS, release)
  },
  /** About something that is not there; a signature that comes with it was made over other words. */
  async notification_forged(told) {
    const body = withWrongIds(told.message.body, told.sandbox.ids.next)
    await postNotification(told.url, { ...told.message, body }, told.sandbox.ending.signal)
    await sendNotification(told)
  },
}

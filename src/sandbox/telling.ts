import { withWrongIds } from './distortion.ts'
import { type FaultOperation, LONGEST_DELAY_MS, type NotificationFault } from './fault.schema.ts'
import { logNormal } from './fault-chance.ts'
import { type Struck as StruckFault, strikeNotification } from './faults.ts'
import { notify } from './notification.ts'
import type { NotificationMessage } from './provider.ts'
import { later, type Sandbox } from './sandbox.ts'

/** A notification on its way, and what it is about. */
interface Told {
  sandbox: Sandbox
  payment_service_id: string
  operation: FaultOperation
  bin: string | null
  url: string
  message: NotificationMessage
}

/** Tells a merchant's notification URL something, with the fault that strikes it, if any. */
export async function tellMerchant(told: Told): Promise<void> {
  const { sandbox } = told
  const fault = sandbox.faults.length === 0 ? null : strikeNotification(sandbox.faults, { ...told, repeatable: false }, sandbox.clock.now())
  if (fault) await faultKinds[fault.item.kind](told, fault)
  else await send(told)
}

/** What was held back for something else to overtake it follows. */
async function send({ sandbox, payment_service_id, url, message }: Told): Promise<void> {
  await notify(url, message, sandbox.ending.signal)
  const overtaken = sandbox.heldBack.get(payment_service_id) ?? []
  sandbox.heldBack.delete(payment_service_id)
  for (const release of overtaken) release()
}

const LATE_MS = 5_000

type Effect = (told: Told, fault: StruckFault<NotificationFault>) => void | Promise<void>

/** What each fault does (docs/faults.md). */
const faultKinds: Record<NotificationFault, Effect> = {
  notification_lost() {},
  async notification_duplicate(told) {
    await send(told)
    await send(told)
  },
  notification_late(told, { item: { delay_ms: delay = LATE_MS }, draw }) {
    later(told.sandbox, typeof delay === 'number' ? delay : logNormal(draw, delay, LONGEST_DELAY_MS), () => send(told))
  },
  notification_reordered(told) {
    const { sandbox, payment_service_id } = told
    let isTold = false
    const release = () => {
      if (isTold) return
      isTold = true
      void send(told).catch(() => undefined)
    }
    sandbox.heldBack.set(payment_service_id, [...(sandbox.heldBack.get(payment_service_id) ?? []), release])
    // nothing may follow it
    later(sandbox, LATE_MS, release)
  },
  /** About something that is not there; a signature that comes with it was made over other words. */
  async notification_forged(told) {
    const body = withWrongIds(told.message.body, told.sandbox.ids.next)
    await notify(told.url, { ...told.message, body }, told.sandbox.ending.signal)
    await send(told)
  },
}

import { unauthorized } from '../../api/errors.ts'
import { isUuid } from '../../api/values/uuid.ts'
import type { LateOutcome, NotificationForCall } from '../../connectors/contract/connector.ts'
import { giftCardServiceById } from '../../gift-cards/services/service-call.ts'
import { keepNotice } from '../../operations/journal/notices.ts'
import { findOperation } from '../../operations/journal/read-operations.ts'
import { giftCardKinds, isOpen, type OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { mayBeLate } from './late-outcome.ts'

/** A gift card service, which may be deleted: what it redeemed can still be put back. */
interface NotifiedService {
  account: string
  id: string
}

/** An operation that a notification tells of. `late`: what it says of one that is decided already. */
export interface NotifiedOperation {
  operation: OperationRow
  late?: LateOutcome | undefined
}

const isGiftCardOperation = ({ kind }: OperationRow): boolean => giftCardKinds.some((each) => each === kind)

/**
 * Keeps what a gift card service's notification says of the operations of payments with gift cards, for their next
 * look-up; answers those that are not decided, or may have another outcome by now. Throws 401 if the notification
 * is forged. Undefined: the account has no gift card service of this id that sends notifications.
 */
export async function readGiftCardNotification(
  world: World,
  { account, id }: NotifiedService,
  message: NotificationForCall,
): Promise<NotifiedOperation[] | undefined> {
  const service = await giftCardServiceById(world, account, id)
  if (!service?.connector.readNotification) return undefined
  const subjects = await service.connector.readNotification(service.call, message)
  if (subjects.some(({ about }) => about === 'forged')) throw unauthorized('the notification is forged')
  const notified = new Map<string, NotifiedOperation>()
  for (const subject of subjects) {
    if (subject.about !== 'operation' || !isUuid(subject.operation)) continue
    const operation = await findOperation(world, account, subject.operation)
    // the provider tells of all payments of the merchant's account there, by whatever system
    if (!operation || !isGiftCardOperation(operation)) continue
    if (subject.notice)
      await keepNotice(world, { account, service: id, subject: operation.id }, subject.notice)
    const late = notified.get(operation.id)?.late ?? subject.late
    if (isOpen(operation.status) || mayBeLate(operation, late))
      notified.set(operation.id, { operation, late })
  }
  return [...notified.values()]
}

import { unauthorized } from '../../api/errors.ts'
import { isUuid } from '../../api/values/uuid.ts'
import type { NotificationForCall } from '../../connectors/contract/connector.ts'
import { giftCardServiceById } from '../../gift-cards/services/service-call.ts'
import { keepNotice } from '../../operations/journal/notices.ts'
import { findOperation } from '../../operations/journal/read-operations.ts'
import { giftCardKinds, isOpen, type OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'

/** A gift card service, which may be deleted: what it redeemed can still be put back. */
interface NotifiedService {
  account: string
  id: string
}

const isGiftCardOperation = ({ kind }: OperationRow): boolean => giftCardKinds.some((each) => each === kind)

/**
 * Keeps what a gift card service's notification says of the operations of payments with gift cards, for their next
 * look-up; answers those that are not decided. Throws 401 if the notification is forged. Undefined: the account has
 * no gift card service of this id that sends notifications.
 */
export async function readGiftCardNotification(
  world: World,
  { account, id }: NotifiedService,
  message: NotificationForCall,
): Promise<OperationRow[] | undefined> {
  const service = await giftCardServiceById(world, account, id)
  if (!service?.connector.readNotification) return undefined
  const subjects = await service.connector.readNotification(service.call, message)
  if (subjects.some(({ about }) => about === 'forged')) throw unauthorized('the notification is forged')
  const undecided = new Map<string, OperationRow>()
  for (const subject of subjects) {
    if (subject.about !== 'operation' || !isUuid(subject.operation)) continue
    const operation = await findOperation(world, account, subject.operation)
    // the provider tells of all payments of the merchant's account there, by whatever system
    if (!operation || !isGiftCardOperation(operation)) continue
    if (subject.notice)
      await keepNotice(world, { account, service: id, subject: operation.id }, subject.notice)
    if (isOpen(operation.status)) undecided.set(operation.id, operation)
  }
  return [...undecided.values()]
}

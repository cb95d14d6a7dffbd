import type { Definition } from '../../connectors/contract/connector.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'

/**
 * How the money step is made. A capture is split off where something else has to happen before it: other
 * tenders, a review, or because the merchant asked for it; the payment service must be able to do that, and a
 * buyer who approves an order has approved both (semantics §3.6).
 */
export function moneyStepKind(
  { connectors }: Pick<World, 'connectors'>,
  row: TransactionRow,
): 'authorize' | 'sale' {
  if (row.intent !== 'capture') return 'authorize'
  const isOrder = row.approval !== null && row.approval.asks === undefined
  const features = definitionOf(connectors, row)?.features
  const canWait = features?.['delayed_capture'] === true
  const splits =
    (canWait && row.pending_review) ||
    (!isOrder && (row.details.async_capture === true || (canWait && row.gift_cards !== null)))
  return splits ? 'authorize' : 'sale'
}

/** Whether the buyer pays at the provider: the payment itself has the approval, and no step follows it. */
export const approvalMovesMoney = ({ connectors }: Pick<World, 'connectors'>, row: TransactionRow): boolean =>
  definitionOf(connectors, row)?.approval?.movesMoney === true

const definitionOf = (connectors: World['connectors'], row: TransactionRow): Definition | undefined =>
  connectors.get(row.payment_service?.payment_service_definition_id ?? '')?.definition

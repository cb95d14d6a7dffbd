import { invalid } from '../../api/errors.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import type { Draft } from '../create/draft.ts'
import { connectionOptionsOf } from '../execution/payment-context.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { orderOf } from './order.ts'

/** How the buyer of a payment approves it. */
export interface ApprovalTerms {
  /** Whether the payment waits for the buyer; false: the request contains the approval. */
  mustApprove: boolean
  /** The approval in the request, as the payment service knows it; undefined: none. */
  token: string | undefined
  /** Until when the buyer may approve, ISO 8601; null: the payment does not wait. */
  expiresAt: string | null
}

/**
 * How the buyer approves `amount`, the payment method's part; undefined: the payment service asks no buyer.
 * Throws 400 for an order that the payment service would refuse.
 */
export async function readApprovalTerms(
  world: World,
  draft: Draft,
  amount: number,
  row: TransactionRow,
  service: ConfiguredService,
): Promise<ApprovalTerms | undefined> {
  const connector = world.connectors.get(service.payment_service_definition_id)
  const lifetime = connector?.definition.approval
  const order = await orderOf(world, row)
  if (!connector || !lifetime || !order) return undefined
  const options = connectionOptionsOf(draft.connection_options, service.payment_service_definition_id)
  const { currency } = draft
  const problems = {
    ...lifetimeProblem(world, draft, lifetime),
    ...connector.orderProblems?.({ order, amount, currency, options, fields: service.values }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = connector.approvalTokenIn?.(options)
  if (token !== undefined) return { mustApprove: false, token, expiresAt: null }
  const expiresAt =
    draft.approval_expires_at ?? new Date(world.clock.now() + lifetime.defaultLife).toISOString()
  return { mustApprove: true, token: undefined, expiresAt }
}

function lifetimeProblem(
  world: World,
  { approval_expires_at: expiry }: Draft,
  { longestLife }: { longestLife: number },
): Record<string, string> {
  if (!expiry || Date.parse(expiry) <= world.clock.now() + longestLife) return {}
  return { '/approval_expires_at': `may lie ${Math.floor(longestLife / 60_000)} minutes ahead at most` }
}

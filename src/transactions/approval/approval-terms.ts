import { invalid } from '../../api/errors.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import type { Draft } from '../create/draft.ts'
import { connectionOptionsOf } from '../execution/payment-context.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { orderOf } from './order.ts'

export interface ApprovalTerms {
  /** Whether the payment waits for the buyer; false where the request brings their approval. */
  mustApprove: boolean
  token: string | undefined
  expiresAt: string | null
}

/** How the buyer comes to approve `amount`, the payment method's part; undefined where none is asked. Throws 400 for what the payment service would refuse. */
export async function readApprovalTerms(
  world: World,
  draft: Draft,
  amount: number,
  row: TransactionRow,
  service: ConfiguredService,
): Promise<ApprovalTerms | undefined> {
  const connector = world.connectors.get(service.payment_service_definition_id)
  const life = connector?.definition.approval
  const order = await orderOf(world, row)
  if (!connector || !life || !order) return undefined
  const options = connectionOptionsOf(draft.connection_options, service.payment_service_definition_id)
  const { currency } = draft
  const problems = {
    ...lifetimeProblem(world, draft, life),
    ...connector.orderProblems?.({ order, amount, currency, options, fields: service.values }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = connector.approvalTokenIn?.(options)
  if (token !== undefined) return { mustApprove: false, token, expiresAt: null }
  const expiresAt = draft.approval_expires_at ?? new Date(world.clock.now() + life.defaultLife).toISOString()
  return { mustApprove: true, token: undefined, expiresAt }
}

function lifetimeProblem(world: World, { approval_expires_at: expiry }: Draft, { longestLife }: { longestLife: number }): Record<string, string> {
  if (!expiry || Date.parse(expiry) <= world.clock.now() + longestLife) return {}
  return { '/approval_expires_at': `may lie ${Math.floor(longestLife / 60_000)} minutes ahead at most` }
}

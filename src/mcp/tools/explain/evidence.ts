import type { Settlement } from '../../../reconciliation/settlement.schema.ts'
import type { Dispute } from '../../../transactions/disputes/dispute.schema.ts'
import type { Transaction } from '../../../transactions/transaction.schema.ts'
import type { Refund } from '../../../transactions/views/refund.schema.ts'
import type { RoutingDecision } from '../../../transactions/views/routing-decision.schema.ts'
import type { TransactionEvent } from '../../../transactions/views/timeline.schema.ts'
import type { TransactionProof } from '../../../verify/proof.schema.ts'
import { type CallApi, read, readPart } from '../../call-api.ts'

/** A line of a settlement report, of any kind. */
type ReportLine = Pick<Settlement, 'amount' | 'commission' | 'currency' | 'id' | 'posted_at'> & {
  type: string
}

/** Everything that the API tells about a payment. Null: the caller's scopes do not open it. */
export interface Evidence {
  payment: Transaction
  timeline: TransactionEvent[] | null
  routing: RoutingDecision | null
  proof: TransactionProof | null
  refunds: Refund[] | null
  disputes: Dispute[] | null
  reportLines: ReportLine[] | null
  /** What is missing, and why. */
  leftOut: string[]
}

interface List<Item> {
  items: Item[]
}

/** A timeline has tens of entries. */
const TIMELINE = 100

/** Reads it with the caller's scopes. Throws `ApiRefusal` if the caller cannot read the payment itself. */
export async function readEvidence(call: CallApi, id: string): Promise<Evidence> {
  const path = `/transactions/${encodeURIComponent(id)}`
  const payment = await read<Transaction>(call, path)
  const leftOut: string[] = []
  const part = <T>(name: string, at: string, query?: Record<string, number>) =>
    readPart<T>(call, leftOut, name, `${path}${at}`, query)
  const lines = (name: string, at: string) => part<List<ReportLine>>(name, at)
  const [timeline, routing, proof, refunds, disputes, ...reports] = await Promise.all([
    part<List<TransactionEvent>>('timeline', '/events', { limit: TIMELINE }),
    part<RoutingDecision>('routing', '/routing-decision'),
    part<TransactionProof>('proof', '/proof'),
    part<List<Refund>>('refunds', '/refunds'),
    part<List<Dispute>>('disputes', '/disputes'),
    lines('settlements', '/settlements'),
    lines('refund settlements', '/refund-settlements'),
    lines('chargebacks', '/chargebacks'),
    lines('chargeback reversals', '/chargeback-reversals'),
  ])
  return {
    payment,
    timeline: timeline?.items ?? null,
    routing,
    proof,
    refunds: refunds?.items ?? null,
    disputes: disputes?.items ?? null,
    reportLines: reports.every((each) => each === null) ? null : reports.flatMap((each) => each?.items ?? []),
    leftOut,
  }
}

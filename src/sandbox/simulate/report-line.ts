import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invalid } from '../../api/errors.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import type { OperationRow } from '../../operations/operation.ts'
import { ingestReport, type ReportSource } from '../../reconciliation/ingest.ts'
import { unmatchedReasons } from '../../reconciliation/report-line.ts'
import { reportFormats, reportSources } from '../../reconciliation/report-source.ts'
import type { EventName, LineEvent } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext, sendToSimulator } from './simulation-context.ts'

/** The amount of the payment that a line with this event may have. */
const remainingAmounts: Record<
  'settled' | 'disputed' | 'dispute_reversed',
  (context: SimulationContext) => number
> = {
  settled: ({ transaction, reported }) => transaction.captured_amount - reported.of('settlement'),
  disputed: ({ transaction, reported }) =>
    transaction.captured_amount - reported.of('chargeback') + reported.of('chargeback-reversal'),
  dispute_reversed: ({ reported }) => reported.of('chargeback') - reported.of('chargeback-reversal'),
}

const reasons = {
  settled: 'nothing is captured that is not settled',
  disputed: 'nothing is captured that is not disputed',
  dispute_reversed: 'nothing of it is disputed',
} as const

export const reportLineProblem =
  (event: keyof typeof remainingAmounts) =>
  (context: SimulationContext): string | null =>
    remainingAmounts[event](context) > 0 ? null : reasons[event]

interface UnsettledRefund {
  refund: OperationRow
  left: number
}

const unsettledRefunds = ({ operations, reported }: SimulationContext): UnsettledRefund[] =>
  operations
    .filter(
      ({ kind, status, payment_service_operation_id: reference }) =>
        kind === 'refund' && status === 'approved' && reference !== null,
    )
    .map((refund) => ({
      refund,
      left: (refund.effective_amount ?? refund.amount) - reported.ofRefund(refund.id),
    }))
    .filter((each) => each.left > 0)

export const refundSettlementProblem = (context: SimulationContext): string | null =>
  unsettledRefunds(context).length > 0 ? null : 'it has no refund that is not settled'

/** Posts a line, and ingests the report that the payment service writes like any other report. */
export async function simulateReportLine(context: SimulationContext, body: LineEvent): Promise<void> {
  const { payment_service_id: service, payment_service_transaction_id: payment } = context.transaction
  const source = await sourceOf(context)
  const subject =
    body.event === 'refund_settled'
      ? chooseRefund(unsettledRefunds(context), body.refund_id)
      : { refund: null, left: remainingAmounts[body.event](context) }
  const gross = body.amount ?? subject.left
  if (gross > subject.left) throw invalid({ '/amount': `is more than there is left: ${subject.left}` })
  const line = {
    service,
    payment,
    kind: kinds[body.event],
    gross,
    refund: subject.refund?.payment_service_operation_id ?? null,
  }
  const request = {
    ...line,
    ...terms(
      context,
      body,
      subject.refund ? subject.refund.settled_currency : context.transaction.settled_currency,
    ),
  }
  await inSequence(context.transaction.id, async () =>
    ingestPosted(context, source, await sendToSimulator<Posted>(context, '/simulate/line', request)),
  )
}

/** The last report of each transaction that is being ingested. */
const sequences = new Map<string, Promise<void>>()

/**
 * Runs one report of a transaction at a time in this process: a report has the lines posted before it too, so
 * two at once would each count the other's line.
 */
async function inSequence(transaction: string, work: () => Promise<void>): Promise<void> {
  const turn = (sequences.get(transaction) ?? Promise.resolve()).then(work, work)
  sequences.set(transaction, turn)
  try {
    await turn
  } finally {
    if (sequences.get(transaction) === turn) sequences.delete(transaction)
  }
}

const kinds = {
  settled: 'settlement',
  refund_settled: 'refund',
  disputed: 'chargeback',
  dispute_reversed: 'chargeback-reversal',
} as const satisfies Partial<Record<EventName, string>>

async function sourceOf({ world, account, transaction }: SimulationContext): Promise<ReportSource> {
  const sources = await reportSources(world, reportFormats(world.connectors), account)
  const source = sources.find(({ service }) => service === transaction.payment_service_id)
  if (!source || transaction.payment_service_transaction_id === null)
    throw invalidEvent('no report of a payment service speaks of it')
  return source
}

function chooseRefund(refunds: UnsettledRefund[], id: string | undefined): UnsettledRefund {
  const names = refunds.map(({ refund }) => refund.id).join(', ')
  const [found, ...others] =
    id === undefined ? refunds : refunds.filter(({ refund }) => refund.id === canonicalId(id))
  if (!found) throw invalid({ '/refund_id': `is no refund that is not settled; there is ${names}` })
  if (others.length > 0) throw invalid({ '/refund_id': `is needed, as several are not settled: ${names}` })
  return found
}

interface Terms {
  currency: string | null
  exchange_rate: number | null
  fees: { interchange: number; markup: number; scheme_fee: number } | null
}

/**
 * The currency, rate and fees of a line. `before`: the currency of the part that was settled already. Throws
 * 400.
 */
function terms(
  { transaction }: SimulationContext,
  body: LineEvent,
  before: string | null | undefined,
): Terms {
  if (body.event !== 'settled' && body.event !== 'refund_settled')
    return { currency: null, exchange_rate: null, fees: null }
  const { currency = transaction.currency, exchange_rate: rate, fees } = body
  const converts = currency !== transaction.currency
  if (!isCurrency(currency)) throw invalid({ '/currency': `${currency} does not exist` })
  if (before && before !== currency)
    throw invalid({ '/currency': `must be ${before}, as a part was settled in it` })
  if (converts && rate === undefined)
    throw invalid({ '/exchange_rate': `is needed from ${transaction.currency} to ${currency}` })
  if (!converts && rate !== undefined) throw invalid({ '/exchange_rate': 'goes with another currency only' })
  return {
    currency,
    // reports have at most these digits
    exchange_rate: rate === undefined ? null : Number(rate.toFixed(6)),
    fees: fees ? { interchange: 0, markup: 0, scheme_fee: 0, ...fees } : null,
  }
}

interface Posted {
  name: string
  report: string
}

async function ingestPosted(
  { world, transaction }: SimulationContext,
  source: ReportSource,
  { name, report }: Posted,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-simulated-'))
  try {
    const file = join(folder, 'report.csv')
    await writeFile(file, report)
    const { counts } = await ingestReport(world, source, file, {
      name: `simulated-${transaction.id}-${name}`,
    })
    const refused = Object.entries(unmatchedReasons).find(([reason]) => counts[reason])
    if (refused)
      throw invalidEvent(
        `was posted, and does not fit what we know: ${refused[1]} (GET /reconciliation/unmatched-lines)`,
      )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

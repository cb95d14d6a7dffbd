import type { ReportLineKind } from '../connectors/settlement-report.ts'
import type { StoryEntry } from '../operations/journal.ts'
import { timeOf, type World } from '../world.ts'
import type { BookedService } from './book-lines.ts'
import type { MatchedLine } from './judge-batch.ts'

/** SEMANTICS §3.17. */
const names = {
  settlement: 'payment-connector-report-transaction-settled',
  'refund-settlement': 'payment-connector-report-refund-settled',
  chargeback: 'payment-connector-report-chargeback-posted',
  'chargeback-reversal': 'payment-connector-report-chargeback-reversal-posted',
} as const satisfies Record<ReportLineKind, string>

interface Story {
  transaction: string
  id: string
  entries: StoryEntry[]
}

/** What each line adds to the story of its transaction: one row for each transaction of the commit. `settlements` are their ids, in the same order. */
export function storyOf(
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  service: BookedService,
  matched: readonly MatchedLine[],
  settlements: readonly { id: string }[],
): Story[] {
  const now = timeOf(clock)
  const stories = new Map<string, Story>()
  matched.forEach(({ transaction, refund, line, reportId, fileId }, index) => {
    const story = stories.get(transaction) ?? { transaction, id: ids.next(), entries: [] }
    stories.set(transaction, story)
    story.entries.push({
      id: ids.next(),
      name: names[line.kind],
      created_at: now,
      context: {
        settlement_id: settlements[index]?.id ?? null,
        ...(refund && { refund_id: refund }),
        posted_at: line.postedAt,
        ingested_at: now,
        currency: line.currency,
        amount: line.net,
        exchange_rate: line.exchangeRate,
        commission: line.commission,
        interchange: line.interchange,
        markup: line.markup,
        scheme_fee: line.schemeFee,
        payment_service_id: service.service,
        payment_service_display_name: service.displayName,
        payment_service_definition_id: service.definition,
        payment_service_report_id: reportId,
        payment_service_report_file_ids: [fileId],
        payment_service_transaction_id: line.payment,
      },
    })
  })
  return [...stories.values()]
}

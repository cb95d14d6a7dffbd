import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { OfferedReport, OfferedReports } from '../contract/offered-reports.ts'
import type { SettlementReport } from '../contract/settlement-report.ts'
import { Compile } from '../wire/compile.ts'
import { type CheckoutOptions, urlOf } from './environment.ts'
import { columns, feesOnly, linesOfActions } from './financial-actions.ts'
import { authorizationOf, send } from './wire.ts'

/** The lines that Railyard makes of the rows of a Financial Actions report, one for each action. */
export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns,
  kinds: {
    settlement: 'settlement',
    refund: 'refund-settlement',
    chargeback: 'chargeback',
    'chargeback reversal': 'chargeback-reversal',
    [feesOnly]: 'ignored',
  },
  amounts: 'decimal-point',
  signs: 'signed-net',
  dates: 'iso',
}

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Report = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: text,
  description: text,
  last_modified_on: text,
  tags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  files: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String({ minLength: 1 }), filename: Type.String(), format: Type.String() }),
    ),
  ),
})
type Report = Static<typeof Report>

const page = Compile(
  Type.Object({
    data: Type.Optional(Type.Array(Report)),
    _links: Type.Optional(Type.Object({ next: Type.Optional(Type.Object({ href: text })) })),
  }),
)

/** More pages than this come from a provider that repeats itself. */
const MAX_PAGES = 100

/** The Financial Actions reports of the settlements since a time. */
export async function offeredReports(
  options: CheckoutOptions,
  call: ServiceCall,
  since: string,
): Promise<OfferedReports> {
  const offered: OfferedReport[] = []
  let token: string | null = null
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const query: URLSearchParams = new URLSearchParams({
      created_after: since.slice(0, 19),
      limit: '100',
      ...(token !== null && { pagination_token: token }),
    })
    const answer = await send(options, call, { method: 'GET', path: `/reports?${query}` })
    if (answer === null) return { unavailable: 'the service is not configured for this environment' }
    if (answer.lost) return { unavailable: answer.reason }
    if (answer.status !== 200) return { unavailable: `HTTP ${answer.status}` }
    if (!page.Check(answer.body)) return { unavailable: 'the reports cannot be read' }
    offered.push(
      ...(answer.body.data ?? []).filter(isOfPayout).flatMap((each) => filesOf(options, call, each)),
    )
    const next = answer.body._links?.next?.href
    token = next
      ? (URL.parse(next, 'https://api.checkout.com')?.searchParams.get('pagination_token') ?? null)
      : null
    if (token === null) return { offered }
  }
  return { unavailable: `there are more than ${MAX_PAGES} pages` }
}

/** The report of a date range has the same actions once more, and those that are not paid out yet. */
const isOfPayout = ({ type, description, tags }: Report): boolean =>
  /^financial\s?actions$/i.test(type ?? '') &&
  (/payout id/i.test(description ?? '') || (tags ?? []).some((tag) => tag.startsWith('payout_id:')))

const filesOf = (options: CheckoutOptions, call: ServiceCall, report: Report): OfferedReport[] =>
  (report.files ?? [])
    .filter(({ format }) => format.toUpperCase() === 'CSV')
    .map(({ id, filename }) => ({
      name: filename,
      version: report.last_modified_on ?? id,
      request: {
        method: 'GET',
        url: `${urlOf(options, call.service)}/reports/${encodeURIComponent(report.id)}/files/${encodeURIComponent(id)}`,
        headers: { authorization: authorizationOf(call) },
      },
      linesOf: linesOfActions,
    }))

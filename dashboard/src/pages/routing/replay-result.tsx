import type { FlowRulesReplay, ReplayDecision, ReplayExpectedApproval } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { readable } from '../../format/names.ts'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { Card, Detail, Details, Figure, Figures } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { routingWords } from '../../words/connections/routing.ts'
import type { Action } from './flows.ts'

const words = routingWords.replay

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const points = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %`

/** What a replay found: decisions, who is asked first, the approval to expect, examples. */
export function ReplayResult({ replay }: { replay: FlowRulesReplay }): ReactNode {
  const { transactions, decisions } = replay
  const { replayed, left_out, oldest, newest } = transactions
  if (replayed === 0)
    return (
      <div className="mb-4">
        <Notice>
          {words.none}{' '}
          {left_out.named + left_out.corrected > 0 && words.leftOut(left_out.named, left_out.corrected)}
        </Notice>
      </div>
    )
  const name = words.figures
  const counts = [
    [name.replayed, replayed],
    [name.unchanged, decisions.unchanged],
    [name.moved, decisions.moved],
    [name.declined, decisions.newly_declined_early],
    [name.notDeclined, decisions.no_longer_declined_early],
    [name.withoutService, decisions.newly_without_service],
    [name.notWithoutService, decisions.no_longer_without_service],
    [name.otherwise, decisions.changed_otherwise],
    [name.newlySkipped, decisions.three_d_secure.newly_skipped],
    [name.noLongerSkipped, decisions.three_d_secure.no_longer_skipped],
  ] as const
  return (
    <>
      <Card title={words.result}>
        <Figures>
          {counts
            .filter(([, count], index) => index < 4 || count > 0)
            .map(([text, count]) => (
              <Figure key={text} name={text} note={text !== name.replayed && percent(count / replayed)}>
                {count.toLocaleString()}
              </Figure>
            ))}
        </Figures>
        <p className="text-sm text-ink-3">
          {words.span} <Time at={oldest} form="both" /> – <Time at={newest} form="both" />.{' '}
          {left_out.named + left_out.corrected > 0 && words.leftOut(left_out.named, left_out.corrected)}
        </p>
      </Card>
      <ServiceShares replay={replay} />
      <Approval replay={replay} />
      <RuleUses replay={replay} />
      <Examples replay={replay} />
    </>
  )
}

/** Bars within the table that they belong to. */
function ServiceShares({ replay: { payment_services } }: { replay: FlowRulesReplay }): ReactNode {
  if (payment_services.length === 0) return null
  return (
    <Card title={words.services}>
      <table className="w-full text-sm">
        <caption className="sr-only">{words.services}</caption>
        <thead className="text-left text-xs text-ink-3">
          <tr>
            <th scope="col" className="pb-1.5 font-medium">
              {words.service}
            </th>
            <th scope="col" className="w-2/5 pb-1.5 font-medium">
              {words.before}
            </th>
            <th scope="col" className="w-2/5 pb-1.5 font-medium">
              {words.after}
            </th>
          </tr>
        </thead>
        <tbody>
          {payment_services.map(({ payment_service_id, display_name, before, after }) => (
            <tr key={payment_service_id}>
              <th
                scope="row"
                className="max-w-40 border-t border-line py-1.5 pr-3 text-left font-normal break-words"
              >
                {display_name ?? routingWords.text.unknownService(payment_service_id)}
              </th>
              {[
                [words.before, before, 'bg-line-strong'],
                [words.after, after, 'bg-accent'],
              ].map(([when, share, colour]) => {
                const of = share as typeof before
                return (
                  <td key={when as string} className="border-t border-line py-1.5 pr-3">
                    <div aria-hidden className="h-2 rounded-sm bg-quiet-soft">
                      <div
                        className={`h-2 rounded-sm ${colour as string}`}
                        style={{ width: `${of.share * 100}%` }}
                      />
                    </div>
                    {of.attempts.toLocaleString()} <span className="text-ink-3">({percent(of.share)})</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Approval({ replay: { approval } }: { replay: FlowRulesReplay }): ReactNode {
  const { before, after, change } = approval
  const rate = (expected: ReplayExpectedApproval) =>
    expected.rate ? percent(expected.rate.value) : words.unknown
  const interval = (expected: ReplayExpectedApproval) =>
    expected.rate && words.interval(percent(expected.rate.interval.low), percent(expected.rate.interval.high))
  return (
    <Card title={words.approval}>
      <p className="text-sm text-ink-2">{words.approvalText}</p>
      <Figures>
        <Figure name={words.before} note={interval(before)}>
          {rate(before)}
        </Figure>
        <Figure name={words.after} note={interval(after)}>
          {rate(after)}
        </Figure>
        <Figure
          name={words.change}
          note={change && words.interval(points(change.interval.low), points(change.interval.high))}
        >
          {change ? points(change.value) : words.unknown}
        </Figure>
      </Figures>
      <Details>
        <Detail name={words.estimable}>{words.estimableOf(after.estimable, after.attempts)}</Detail>
        <Detail name={words.notEstimable}>
          {after.not_estimable.transactions > 0 &&
            `${after.not_estimable.transactions.toLocaleString()} (${percent(after.not_estimable.share)})`}
        </Detail>
        <Detail name={words.bounds}>
          {after.bounds &&
            after.not_estimable.transactions > 0 &&
            `${percent(after.bounds.low)} – ${percent(after.bounds.high)}`}
        </Detail>
      </Details>
    </Card>
  )
}

const RuleUses = ({ replay: { decisions } }: { replay: FlowRulesReplay }): ReactNode =>
  decisions.rules.length > 0 && (
    <Card title={words.rules}>
      <SmallTable
        label={words.rules}
        rows={decisions.rules}
        rowId={({ rule_id, action }) => `${rule_id} ${action}`}
        empty=""
        columns={[
          { id: 'rule', header: words.rule, cell: ({ display_name }) => display_name ?? words.ruleGone },
          {
            id: 'action',
            header: words.action,
            cell: ({ action }) => routingWords.actions[action as Action] ?? readable(action),
          },
          { id: 'before', header: words.before, align: 'end', cell: ({ before }) => before.toLocaleString() },
          { id: 'after', header: words.after, align: 'end', cell: ({ after }) => after.toLocaleString() },
        ]}
      />
    </Card>
  )

const changeName = (change: string): string => words.changes[change] ?? readable(change)

/** What was decided about a payment, in a line. */
function describeDecision(
  { declined_early, payment_services, three_d_secure_skipped }: ReplayDecision,
  names: ReadonlyMap<string, string>,
): string {
  if (declined_early) return words.declined(declined_early)
  if (!payment_services) return words.notKnown
  const services =
    payment_services
      .map((id) => names.get(id) ?? routingWords.text.unknownService(id))
      .join(routingWords.text.thenTry) || words.noService
  return three_d_secure_skipped ? `${services}, ${words.skipped3DS}` : services
}

const serviceNames = ({ payment_services }: FlowRulesReplay): ReadonlyMap<string, string> =>
  new Map(
    payment_services.flatMap(({ payment_service_id, display_name }) =>
      display_name ? [[payment_service_id, display_name]] : [],
    ),
  )

function Examples({ replay }: { replay: FlowRulesReplay }): ReactNode {
  const { account } = useSignedIn()
  const names = serviceNames(replay)
  return (
    <Card title={words.examples}>
      <SmallTable
        label={words.examples}
        rows={replay.examples}
        rowId={({ transaction_id }) => transaction_id}
        empty={words.noExamples}
        columns={[
          {
            id: 'payment',
            header: words.payment,
            cell: ({ transaction_id }) => (
              <Link className="font-mono underline" to={`/${account}/payments/${transaction_id}`}>
                {transaction_id.slice(0, 13)}
              </Link>
            ),
          },
          { id: 'change', header: words.change, cell: ({ change }) => <Tag>{changeName(change)}</Tag> },
          { id: 'before', header: words.before, cell: ({ before }) => describeDecision(before, names) },
          { id: 'after', header: words.after, cell: ({ after }) => describeDecision(after, names) },
        ]}
      />
    </Card>
  )
}

/** What the rules would have decided about one payment. */
export function OnePaymentResult({
  payment,
  replay,
}: {
  payment: string
  replay: FlowRulesReplay
}): ReactNode {
  const { account } = useSignedIn()
  const names = serviceNames(replay)
  const example = replay.examples.find(({ transaction_id }) => transaction_id === payment)
  if (replay.transactions.replayed === 0) return <Notice>{words.noneOne}</Notice>
  const used = replay.decisions.rules.filter(({ after }) => after > 0)
  return (
    <Details>
      <Detail name={words.payment}>
        <Link className="underline" to={`/${account}/payments/${payment}`}>
          {payment}
        </Link>
      </Detail>
      <Detail name={words.change}>
        <Tag tone={example ? 'warn' : 'good'}>{changeName(example?.change ?? 'unchanged')}</Tag>
      </Detail>
      <Detail name={words.before}>{example && describeDecision(example.before, names)}</Detail>
      <Detail name={words.after}>
        {example
          ? describeDecision(example.after, names)
          : replay.payment_services
              .filter(({ after }) => after.attempts > 0)
              .map(({ display_name }) => display_name)
              .join(', ')}
      </Detail>
      <Detail name={words.rule}>
        {used.map(({ display_name }) => display_name ?? words.ruleGone).join(', ')}
      </Detail>
    </Details>
  )
}

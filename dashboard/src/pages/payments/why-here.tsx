import type { RoutingDecision, RoutingDraftDecision, RoutingSkip, RoutingStep } from '@railyard/client'
import { ArrowRight, Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useMay } from '../../session/signed-in.ts'
import { routingReasonWords as words } from '../../words/connections/routing-reasons.ts'
import { describeCondition } from './describe-condition.ts'

/** Which rule chose the payment service, which services were skipped and why, and what the draft rules would do. */
export function WhyHere({ id }: { id: string }): ReactNode {
  const query = useLoad(['transactions', id, 'routing-decision'], (api, signal) =>
    api.transactions.routingDecision.get(id, { signal }),
  )
  return (
    <Card title={words.title}>
      <Loaded query={query}>{(decision) => <Decision decision={decision} />}</Loaded>
      <Draft id={id} />
    </Card>
  )
}

function Decision({ decision }: { decision: RoutingDecision }): ReactNode {
  const { decisions, skipped, attempts, named_payment_service, eligible } = decision
  const hasRule = decisions.length > 0
  return (
    <ul className="grid gap-2 text-sm">
      {named_payment_service && <Reason icon="yes">{words.named}</Reason>}
      {decisions.map((each) => (
        <Reason key={`${each.rule_id}-${each.decided_at}`} icon="yes">
          <b className="font-medium">{each.rule_display_name ?? words.aRule}</b> {words.matched}
          {each.because.length > 0 && `: ${each.because.map(describeCondition).join(', ')}`}
        </Reason>
      ))}
      {!hasRule && !named_payment_service && (
        <Reason icon="yes">{eligible && eligible.length > 1 ? words.inOrder : words.only}</Reason>
      )}
      {attempts.map(
        ({ operation_id, payment_service_display_name, payment_service_id, status, error_code }) => (
          <Reason key={operation_id} icon={status === 'approved' ? 'yes' : 'next'}>
            <b className="font-medium">{payment_service_display_name ?? payment_service_id}</b>:{' '}
            {words.status(status)}
            {error_code && ` (${error_code.replaceAll('_', ' ')})`}
          </Reason>
        ),
      )}
      {skips(skipped, decisions).map(({ payment_service_id, payment_service_display_name, reason }) => (
        <Reason key={`${payment_service_id}-${reason}`} icon="no">
          <b className="font-medium">{payment_service_display_name ?? payment_service_id}</b>:{' '}
          {reason.replaceAll('_', ' ')}
        </Reason>
      ))}
    </ul>
  )
}

/** Those that rules left out are among the rules' own, and in the list of all. */
function skips(all: readonly RoutingSkip[], decisions: RoutingDecision['decisions']): RoutingSkip[] {
  const seen = new Map<string, RoutingSkip>()
  for (const skip of [...all, ...decisions.flatMap(({ skipped }) => skipped)])
    seen.set(`${skip.payment_service_id} ${skip.reason}`, skip)
  return [...seen.values()]
}

/** What the draft rules would have done with this payment. Only who may see the rules is told. */
function Draft({ id }: { id: string }): ReactNode {
  const maySeeRules = useMay('flows.read')
  const query = useLoad(
    ['transactions', id, 'routing-decision', 'draft'],
    (api, signal) => api.transactions.routingDecision.draft(id, { signal }),
    { enabled: maySeeRules },
  )
  if (!query.data) return null
  return (
    <ul className="mt-2 grid gap-2 text-sm">
      {query.data.items.map((item) => (
        <Reason key={item.flow} icon="next">
          {describeDraft(item)}
        </Reason>
      ))}
    </ul>
  )
}

function describeDraft({ differs, draft }: RoutingDraftDecision): string {
  if (!differs) return words.draftSame
  if (draft.declined) return words.draftDeclines(draft.declined.replaceAll('_', ' '))
  const names = (draft.steps ?? []).map(nameOfStep)
  return names.length > 0 ? words.draftChooses(names.join(words.thenNext)) : words.draftDiffers
}

const nameOfStep = ({ payment_service_display_name, payment_service_id }: RoutingStep): string =>
  payment_service_display_name ?? payment_service_id

const icons = { yes: Check, no: X, next: ArrowRight }

function Reason({ icon, children }: { icon: keyof typeof icons; children: ReactNode }): ReactNode {
  const Icon = icons[icon]
  return (
    <li className="grid grid-cols-[18px_minmax(0,1fr)] gap-2">
      <Icon aria-hidden size={14} className="mt-[3px] text-ink-3" />
      <span className="break-words">{children}</span>
    </li>
  )
}

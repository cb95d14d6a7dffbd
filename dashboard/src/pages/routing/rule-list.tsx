import type { FlowRule, PaymentService } from '@railyard/client'
import type { ReactNode } from 'react'
import { readable } from '../../format/names.ts'
import { MoveButtons, useDragging } from '../../parts/lists/sorting.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { routingWords as words } from '../../words/connections/routing.ts'
import { ConditionView } from './condition-view.tsx'
import { describeOutcome } from './describe-rule.ts'
import type { Action } from './flows.ts'

/** The rules of a flow in their order, in words. `actions` and `onMove`: for those who may change them. */
export function RuleList({
  rules,
  services,
  actions,
  onMove,
}: {
  rules: readonly FlowRule[]
  services: readonly PaymentService[]
  actions?: (rule: FlowRule) => ReactNode
  onMove?: ((from: number, to: number) => void) | undefined
}): ReactNode {
  const dragging = useDragging(rules.length > 1 ? onMove : undefined)
  return (
    <ol className="grid gap-2">
      {rules.map((rule, index) => (
        <li
          key={rule.id}
          {...dragging(index)}
          data-rule={rule.id}
          className={`rounded-lg border border-line bg-surface px-4 py-3 ${onMove ? 'md:cursor-grab' : ''}`}
        >
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="w-5 text-ink-3">{index + 1}</span>
            <h2 className="min-w-0 font-medium break-words">{rule.display_name}</h2>
            <Tag tone={rule.action === 'decline-early' ? 'bad' : 'info'}>
              {words.actions[rule.action as Action] ?? readable(rule.action)}
            </Tag>
            {!rule.active && <Tag tone="warn">{words.rule.off}</Tag>}
            <span className="ml-auto flex flex-wrap items-center">
              {onMove && rules.length > 1 && (
                <MoveButtons name={rule.display_name} index={index} count={rules.length} onMove={onMove} />
              )}
              {actions?.(rule)}
            </span>
          </div>
          <dl
            className={`mt-1 grid gap-x-3 gap-y-0.5 text-sm sm:ml-7 sm:grid-cols-[48px_minmax(0,1fr)] ${rule.active ? '' : 'text-ink-3'}`}
          >
            <dt className="text-ink-3">{words.rule.when}</dt>
            <dd className="min-w-0">
              <ConditionView condition={rule.condition} />
            </dd>
            <dt className="text-ink-3">{words.rule.does}</dt>
            <dd className="min-w-0 break-words">
              {describeOutcome(rule, services).map((line) => (
                <p key={line} className="first-letter:uppercase">
                  {line}
                </p>
              ))}
            </dd>
          </dl>
        </li>
      ))}
    </ol>
  )
}

import type { ReactNode } from 'react'
import { Tag, type Tone } from '../../parts/values/tag.tsx'
import { routingWords } from '../../words/connections/routing.ts'
import type { RuleChange } from './describe-rule.ts'

const words = routingWords.diff

const tones: Record<RuleChange['kind'], Tone> = {
  added: 'good',
  removed: 'bad',
  changed: 'info',
  moved: 'quiet',
  turnedOff: 'warn',
  turnedOn: 'good',
}

/** What differs between two versions of rules, with what was before and what is now. */
export const RulesDiff = ({ changes }: { changes: readonly RuleChange[] }): ReactNode =>
  changes.length === 0 ? (
    <p className="text-sm text-ink-3">{words.same}</p>
  ) : (
    <ul className="grid gap-3">
      {changes.map(({ id, name, kind, lines, places }) => (
        <li key={`${id} ${kind}`} className="text-sm">
          <p className="flex flex-wrap items-baseline gap-2">
            <Tag tone={tones[kind]}>{words[kind]}</Tag>
            <span className="min-w-0 font-medium break-words">{name}</span>
            {places && <span className="text-ink-3">{words.place(...places)}</span>}
          </p>
          {lines.map(([what, before, after]) => (
            <dl key={what} className="mt-1 grid grid-cols-[56px_minmax(0,1fr)] gap-x-2">
              <dt className="text-ink-3">{what}</dt>
              <dd className="grid gap-0.5 break-words">
                {before && (
                  <span className="text-bad">
                    <span aria-hidden>− </span>
                    <span className="sr-only">{words.before} </span>
                    {before}
                  </span>
                )}
                {after && (
                  <span className="text-good">
                    <span aria-hidden>+ </span>
                    <span className="sr-only">{words.after} </span>
                    {after}
                  </span>
                )}
              </dd>
            </dl>
          ))}
        </li>
      ))}
    </ul>
  )

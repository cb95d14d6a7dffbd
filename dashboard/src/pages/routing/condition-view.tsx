import type { Condition } from '@railyard/client'
import type { ReactNode } from 'react'
import { type ConditionText, describeCondition } from './describe-rule.ts'

/** A condition as people read it. */
export const ConditionView = ({ condition }: { condition: Condition }): ReactNode => (
  <Part part={describeCondition(condition)} />
)

const Part = ({ part }: { part: ConditionText }): ReactNode =>
  part.is === 'leaf' ? (
    <span className="block break-words first-letter:uppercase">{part.text}</span>
  ) : (
    <>
      <span className="block first-letter:uppercase">{part.text}</span>
      <ul className="ml-1 border-l border-line-strong pl-3">
        {part.parts.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
          <li key={index}>
            <Part part={each} />
          </li>
        ))}
      </ul>
    </>
  )

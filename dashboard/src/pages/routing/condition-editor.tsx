import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { SelectField } from '../../parts/forms/field.tsx'
import { Button } from '../../parts/page/button.tsx'
import { routingWords } from '../../words/connections/routing.ts'
import { type Draft, draftProblem, type GroupDraft, newGroup, newLeaf } from './condition-draft.ts'
import { LeafEditor } from './leaf-editor.tsx'

const words = routingWords.condition

interface EditorProps<Part> {
  draft: Part
  onChange: (draft: Part) => void
  /** What is wrong with each part, by its key. */
  problemOf: (key: string) => string | undefined
  /** Whether parts that are not complete say so. */
  isTried: boolean
}

const modes = [
  ['all', words.all],
  ['any', words.any],
  ['not all', words.notAll],
  ['not any', words.notAny],
] as const

/** The server refuses what is nested deeper. */
const DEEPEST = 5

/** A group of conditions: its mode, its parts, and what can be added. */
export function GroupEditor({
  draft,
  onChange,
  problemOf,
  isTried,
  depth = 0,
}: EditorProps<GroupDraft> & { depth?: number }): ReactNode {
  const { mode, negated, children } = draft
  const isRoot = depth === 0
  const withChildren = (next: readonly Draft[]) => onChange({ ...draft, children: next })
  const problem = problemOf(draft.key) ?? (isTried ? draftProblem(draft) : undefined)
  return (
    <div className="grid gap-3">
      <div className="max-w-sm">
        <SelectField
          label={isRoot ? words.mode : words.modeInner}
          value={negated ? `not ${mode}` : mode}
          onChange={(value) =>
            onChange({
              ...draft,
              negated: value.startsWith('not'),
              mode: value.endsWith('any') ? 'any' : 'all',
            })
          }
          options={modes}
          problem={problem}
        />
      </div>
      {children.length === 0 && (
        <p className="text-sm text-ink-3">{isRoot ? words.empty : words.emptyGroup}</p>
      )}
      {children.map((child) => {
        const replace = (next: Draft) =>
          withChildren(children.map((each) => (each.key === child.key ? next : each)))
        const isGroup = child.is === 'group'
        return (
          <div
            key={child.key}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 border-l-2 border-line-strong pl-3"
          >
            {isGroup ? (
              <GroupEditor
                draft={child}
                onChange={replace}
                problemOf={problemOf}
                isTried={isTried}
                depth={depth + 1}
              />
            ) : (
              <LeafEditor
                draft={child}
                onChange={replace}
                problem={problemOf(child.key) ?? (isTried ? draftProblem(child) : undefined)}
              />
            )}
            <button
              type="button"
              aria-label={isGroup ? words.removeGroup : words.remove}
              className="mt-6 grid size-8 place-items-center rounded-sm text-ink-3 hover:bg-quiet-soft hover:text-ink pointer-coarse:size-11"
              onClick={() => withChildren(children.filter(({ key }) => key !== child.key))}
            >
              <X aria-hidden size={14} />
            </button>
          </div>
        )
      })}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => withChildren([...children, newLeaf()])}>{words.add}</Button>
        {depth < DEEPEST && (
          <Button
            look="quiet"
            onClick={() => withChildren([...children, { ...newGroup([newLeaf()]), mode: 'any' }])}
          >
            {words.addGroup}
          </Button>
        )}
      </div>
    </div>
  )
}

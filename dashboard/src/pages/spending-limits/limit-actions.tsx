import type { SpendingLimit } from '@railyard/client'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { commonWords } from '../../words/common.ts'
import { nameLimit } from './limit-columns.tsx'
import { LimitForm, type Subject } from './limit-form.tsx'

/** What a person may do with the limits of a list. */
export interface LimitActions {
  /** Change and delete; undefined if the person's role opens neither. */
  column: Column<SpendingLimit> | undefined
  /** Sets a limit; undefined if the person may not. */
  set: (() => void) | undefined
  /** The dialog that is open. */
  dialogs: ReactNode
}

/** Of one subject, or of the whole merchant account. Nobody sets, changes or deletes their own limits. */
export function useLimitActions(subject?: Subject): LimitActions {
  const { may, session } = useSignedIn()
  const form = useDialog<SpendingLimit | 'new'>()
  const deleting = useDialog<SpendingLimit>()
  if (!may('spending-limits.write')) return { column: undefined, set: undefined, dialogs: null }
  const isOwn = ({ id }: { id: string }) => id === session.user.id
  return {
    set: subject && isOwn(subject) ? undefined : () => form.open('new'),
    column: {
      id: 'actions',
      header: commonWords.actions,
      align: 'end',
      cell: (limit) =>
        !isOwn(limit.subject) && (
          <span className="inline-flex gap-2">
            <Button
              aria-label={commonWords.of(commonWords.edit, nameLimit(limit))}
              onClick={() => form.open(limit)}
            >
              {commonWords.edit}
            </Button>
            <Button
              aria-label={commonWords.of(commonWords.delete, nameLimit(limit))}
              onClick={() => deleting.open(limit)}
            >
              {commonWords.delete}
            </Button>
          </span>
        ),
    },
    dialogs: (
      <>
        {form.about && (
          <LimitForm
            limit={form.about === 'new' ? undefined : form.about}
            subject={subject}
            onClose={form.close}
          />
        )}
        {deleting.about && <DeleteLimit limit={deleting.about} onClose={deleting.close} />}
      </>
    ),
  }
}

const DeleteLimit = ({ limit, onClose }: { limit: SpendingLimit; onClose: () => void }): ReactNode => (
  <ConfirmDialog
    title={words.deleteTitle(nameLimit(limit))}
    submit={commonWords.delete}
    text={words.deleteText}
    done={words.deleted}
    danger
    run={(api) => api.spendingLimits.delete(limit.id)}
    changes={[['spending-limits']]}
    onClose={onClose}
  />
)

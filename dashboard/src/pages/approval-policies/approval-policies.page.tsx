import type { ApprovalPolicy } from '@railyard/client'
import type { ReactNode } from 'react'
import { useList } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { useMay } from '../../session/signed-in.ts'
import { approvalPolicyWords as words } from '../../words/approvals/approval-policies.ts'
import { commonWords } from '../../words/common.ts'
import { describeOperations } from '../approvals/proposal-status.ts'
import { PolicyForm } from './policy-form.tsx'

const columns: Column<ApprovalPolicy>[] = [
  { id: 'name', header: words.columns.name, cell: ({ display_name }) => display_name },
  { id: 'operations', header: words.columns.operations, cell: describeOperations },
  {
    id: 'approvals',
    header: words.columns.approvals,
    align: 'end',
    cell: ({ required_approvals }) => required_approvals,
  },
  {
    id: 'approvers',
    header: words.columns.approvers,
    wide: true,
    cell: ({ approver_role_ids, approver_user_ids }) =>
      words.approvers(approver_role_ids.length, approver_user_ids.length) || words.everyone,
  },
  {
    id: 'state',
    header: words.columns.state,
    cell: ({ active }) => (
      <Tag tone={active ? 'good' : 'quiet'}>{active ? words.active : words.inactive}</Tag>
    ),
  },
]

export function Page(): ReactNode {
  const mayWrite = useMay('approval-policies.write')
  const form = useDialog<ApprovalPolicy | 'new'>()
  const deleting = useDialog<ApprovalPolicy>()
  const query = useList(['approval-policies'], (api, cursor, signal) =>
    api.approvalPolicies.list({ cursor, limit: 50 }, { signal }).page(),
  )
  const actions: Column<ApprovalPolicy> = {
    id: 'actions',
    header: commonWords.actions,
    align: 'end',
    cell: (policy) => (
      <span className="inline-flex gap-2">
        <Button
          aria-label={commonWords.of(commonWords.edit, policy.display_name)}
          onClick={() => form.open(policy)}
        >
          {commonWords.edit}
        </Button>
        <Button
          aria-label={commonWords.of(commonWords.delete, policy.display_name)}
          onClick={() => deleting.open(policy)}
        >
          {commonWords.delete}
        </Button>
      </span>
    ),
  }
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => form.open('new')}>
            {words.create}
          </Button>
        )
      }
    >
      <p className="mb-3 text-sm text-ink-2">{words.about}</p>
      <DataTable
        label={words.title}
        columns={mayWrite ? [...columns, actions] : columns}
        query={query}
        rowId={({ id }) => id}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {form.about && (
        <PolicyForm policy={form.about === 'new' ? undefined : form.about} onClose={form.close} />
      )}
      {deleting.about && <DeletePolicy policy={deleting.about} onClose={deleting.close} />}
    </Layout>
  )
}

const DeletePolicy = ({ policy, onClose }: { policy: ApprovalPolicy; onClose: () => void }): ReactNode => (
  <ConfirmDialog
    title={words.deleteTitle(policy.display_name)}
    submit={commonWords.delete}
    text={words.deleteText}
    done={words.deleted}
    danger
    run={(api) => api.approvalPolicies.delete(policy.id)}
    changes={[['approval-policies']]}
    onClose={onClose}
  />
)

import type { ApprovalPolicy, ApprovalPolicyCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { ChoicesField } from '../../parts/forms/choices-field.tsx'
import { CheckField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { useMay } from '../../session/signed-in.ts'
import { approvalPolicyWords as words } from '../../words/approvals/approval-policies.ts'
import { approvalOperations } from '../../words/approvals/approvals.ts'
import { commonWords } from '../../words/common.ts'
import { linesOfThresholds, readThresholds } from './thresholds.ts'

/** Every active policy covers these by itself. */
const protectedOperations: readonly string[] = ['approval_policy', 'spending_limit']
const operations = Object.entries(approvalOperations).filter(([name]) => !protectedOperations.includes(name))

/** Creates a policy, or changes one. */
export function PolicyForm({
  policy,
  onClose,
}: {
  policy?: ApprovalPolicy | undefined
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const mayUsers = useMay('users.read')
  const [name, setName] = useState(policy?.display_name ?? '')
  const [chosen, setChosen] = useState<string[]>(policy?.operations ?? [])
  const [thresholds, setThresholds] = useState(linesOfThresholds(policy?.thresholds ?? []))
  const [roleIds, setRoleIds] = useState(policy?.approver_role_ids ?? [])
  const [userIds, setUserIds] = useState(policy?.approver_user_ids ?? [])
  const [required, setRequired] = useState(`${policy?.required_approvals ?? 1}`)
  const [hours, setHours] = useState(`${policy?.open_for_hours ?? 72}`)
  const [active, setActive] = useState(policy?.active ?? true)
  const roles = useLoad(['roles'], (api, signal) => every(api.roles.list({ limit: 100 }, { signal })), {
    enabled: mayUsers,
  })
  const users = useLoad(
    ['users', 'all'],
    (api, signal) => every(api.users.list({ limit: 100 }, { signal })),
    { enabled: mayUsers },
  )
  const save = useAction({
    run: (api, body: ApprovalPolicyCreate) =>
      policy ? api.approvalPolicies.update(policy.id, body) : api.approvalPolicies.create(body),
    onDone: () => {
      say(policy ? words.saved : words.created)
      onClose()
    },
    changes: [['approval-policies']],
  })
  const problems = problemsOf(save.error)
  const read = readThresholds(thresholds)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={policy ? words.edit : words.create}
      text={words.protects}
      submit={policy ? commonWords.save : words.create}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        if (!read) return
        save.mutate({
          display_name: name.trim(),
          operations: chosen as ApprovalPolicyCreate['operations'],
          thresholds: read,
          approver_role_ids: roleIds,
          approver_user_ids: userIds,
          required_approvals: Number(required),
          open_for_hours: Number(hours),
          active,
        })
      }}
    >
      <TextField label={words.name} value={name} onChange={setName} problem={problems['/display_name']} />
      <ChoicesField
        label={words.operations}
        options={operations}
        values={chosen}
        onChange={setChosen}
        problem={problems['/operations']}
      />
      <TextArea
        label={words.thresholds}
        hint={words.thresholdsHint}
        optional
        rows={3}
        value={thresholds}
        onChange={setThresholds}
        problem={read ? problems['/thresholds'] : words.thresholdsWrong}
      />
      {mayUsers && (
        <div className="grid gap-4 sm:grid-cols-2">
          <ChoicesField
            label={words.approverRoles}
            hint={words.approverHint}
            options={(roles.data ?? [])
              .filter(({ assignable_to }) => assignable_to.includes('user'))
              .map((role) => [role.id, role.name])}
            values={roleIds}
            onChange={setRoleIds}
            problem={problems['/approver_role_ids']}
          />
          <ChoicesField
            label={words.approverUsers}
            options={(users.data ?? []).map((user) => [user.id, user.name])}
            values={userIds}
            onChange={setUserIds}
            problem={problems['/approver_user_ids']}
          />
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={words.required}
          type="number"
          min={1}
          max={10}
          value={required}
          onChange={setRequired}
          problem={problems['/required_approvals']}
        />
        <TextField
          label={words.openForHours}
          type="number"
          min={1}
          max={720}
          value={hours}
          onChange={setHours}
          problem={problems['/open_for_hours']}
        />
      </div>
      <CheckField label={words.active} hint={words.activeHint} checked={active} onChange={setActive} />
    </FormDialog>
  )
}

import type { ThreeDSecureScenario, ThreeDSecureScenarioCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useList } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { TabIntro } from './tab-intro.tsx'

const words = fraudWords.scenarios

const members = [
  'card_number',
  'email_address',
  'first_name',
  'last_name',
  'external_identifier',
  'amount',
] as const

/** When a scenario applies, in a line. */
const describeConditions = ({ conditions }: ThreeDSecureScenario): string =>
  members
    .flatMap((member) => {
      const value = conditions[member]
      return value === null || value === undefined ? [] : [`${words[member]} ${value}`]
    })
    .join(', ') || words.every

function describeAnswer({ outcome }: ThreeDSecureScenario): string {
  const { authentication, result } = outcome
  const answer = words.answers[authentication.transaction_status] ?? authentication.transaction_status
  return result
    ? `${answer}, ${words.results[result.transaction_status] ?? result.transaction_status}`
    : answer
}

/** What the sandbox's issuers answer. */
export function Scenarios(): ReactNode {
  const may = useMay('three-ds-scenarios.write')
  const say = useSay()
  const editing = useDialog<ThreeDSecureScenario | 'new'>()
  const deleting = useDialog<ThreeDSecureScenario>()
  const query = useList(['three-ds-scenarios'], (api, cursor, signal) =>
    api.threeDsScenarios.list({ cursor, limit: 50 }, { signal }).page(),
  )
  const save = useAction({
    run: (api, { id, ...input }: ThreeDSecureScenarioCreate & { id: string | undefined }) =>
      id ? api.threeDsScenarios.update(id, input) : api.threeDsScenarios.create(input),
    onDone: () => {
      say(words.saved)
      editing.close()
    },
    changes: [['three-ds-scenarios']],
  })
  const edit = (about: ThreeDSecureScenario | 'new') => {
    save.reset()
    editing.open(about)
  }
  const columns: Column<ThreeDSecureScenario>[] = [
    {
      id: 'conditions',
      header: words.conditions,
      cell: (scenario) => <span title={describeConditions(scenario)}>{describeConditions(scenario)}</span>,
    },
    { id: 'outcome', header: words.outcome, cell: describeAnswer },
    {
      id: 'updated',
      header: words.updated,
      align: 'end',
      wide: true,
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
    ...(may
      ? [
          {
            id: 'actions',
            header: commonWords.actions,
            align: 'end',
            cell: (scenario: ThreeDSecureScenario) => (
              <>
                <Button
                  look="quiet"
                  aria-label={words.editOf(describeConditions(scenario))}
                  onClick={() => edit(scenario)}
                >
                  {commonWords.edit}
                </Button>
                <Button
                  look="quiet"
                  aria-label={words.deleteOf(describeConditions(scenario))}
                  onClick={() => deleting.open(scenario)}
                >
                  {commonWords.delete}
                </Button>
              </>
            ),
          } satisfies Column<ThreeDSecureScenario>,
        ]
      : []),
  ]
  return (
    <>
      <TabIntro text={words.text}>
        {may && (
          <Button look="primary" onClick={() => edit('new')}>
            {words.add}
          </Button>
        )}
      </TabIntro>
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {editing.about && (
        <ScenarioDialog
          scenario={editing.about === 'new' ? undefined : editing.about}
          busy={save.isPending}
          error={save.error}
          onClose={editing.close}
          onSave={(input) =>
            save.mutate({ ...input, id: editing.about === 'new' ? undefined : editing.about?.id })
          }
        />
      )}
      {deleting.about && <DeleteDialog scenario={deleting.about} onClose={deleting.close} />}
    </>
  )
}

const DeleteDialog = ({
  scenario,
  onClose,
}: {
  scenario: ThreeDSecureScenario
  onClose: () => void
}): ReactNode => (
  <ConfirmDialog
    danger
    title={words.deleteOf(describeConditions(scenario))}
    submit={commonWords.delete}
    text={words.deleteText}
    done={words.deleted}
    run={(api) => api.threeDsScenarios.delete(scenario.id)}
    changes={[['three-ds-scenarios']]}
    onClose={onClose}
  />
)

const options = (texts: Readonly<Record<string, string | undefined>>) =>
  Object.entries(texts).map(([value, text]) => [value, text ?? value] as const)

function ScenarioDialog({
  scenario,
  busy,
  error,
  onClose,
  onSave,
}: {
  scenario: ThreeDSecureScenario | undefined
  busy: boolean
  error: unknown
  onClose: () => void
  onSave: (input: ThreeDSecureScenarioCreate) => void
}): ReactNode {
  const [conditions, setConditions] = useState<Record<string, string>>(() =>
    Object.fromEntries(members.map((member) => [member, String(scenario?.conditions[member] ?? '')])),
  )
  const [version, setVersion] = useState(scenario?.outcome.version ?? '')
  const [answer, setAnswer] = useState<string>(scenario?.outcome.authentication.transaction_status ?? 'Y')
  const [result, setResult] = useState<string>(scenario?.outcome.result?.transaction_status ?? 'Y')
  const problems = problemsOf(error)
  const amount = conditions['amount'] ?? ''
  const isAmountWrong = amount !== '' && !/^\d{1,12}$/.test(amount)
  const submit = () => {
    if (isAmountWrong) return
    const given = members.flatMap((member) => {
      const value = (conditions[member] ?? '').trim()
      return value ? [[member, member === 'amount' ? Number(value) : value] as const] : []
    })
    onSave({
      conditions: Object.fromEntries(given),
      outcome: {
        ...(version && { version }),
        authentication: { transaction_status: answer },
        ...(answer === 'C' && { result: { transaction_status: result } }),
      },
    })
  }
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={scenario ? words.edit : words.add}
      submit={commonWords.save}
      busy={busy}
      error={error}
      onSubmit={submit}
    >
      <fieldset className="grid gap-4 sm:grid-cols-2">
        <legend className="mb-2 font-medium">{words.conditions}</legend>
        {members.map((member) => (
          <TextField
            key={member}
            label={words[member]}
            optional
            inputMode={member === 'amount' || member === 'card_number' ? 'numeric' : 'text'}
            hint={
              member === 'amount' ? words.amountHint : member === 'card_number' ? words.cardHint : undefined
            }
            value={conditions[member] ?? ''}
            onChange={(value) => setConditions({ ...conditions, [member]: value })}
            problem={
              member === 'amount' && isAmountWrong ? words.amountWrong : problems[`/conditions/${member}`]
            }
          />
        ))}
      </fieldset>
      <fieldset className="grid gap-4 sm:grid-cols-2">
        <legend className="mb-2 font-medium">{words.outcome}</legend>
        <SelectField
          label={words.authentication}
          value={answer}
          onChange={setAnswer}
          options={options(words.answers)}
          problem={problems['/outcome/authentication/transaction_status']}
        />
        {answer === 'C' && (
          <SelectField
            label={words.result}
            value={result}
            onChange={setResult}
            options={options(words.results)}
            problem={problems['/outcome/result/transaction_status']}
          />
        )}
        <TextField
          label={words.version}
          hint={words.versionHint}
          optional
          value={version}
          onChange={setVersion}
          problem={problems['/outcome/version']}
        />
      </fieldset>
    </FormDialog>
  )
}

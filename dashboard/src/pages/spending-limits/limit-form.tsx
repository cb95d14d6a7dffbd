import type { SpendingLimit, SpendingLimitCreate, SpendingLimitUpdate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { parseAmount, typedAmount } from '../../format/amount.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { AmountField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { nameLimit } from './limit-columns.tsx'
import { operationOptions } from './operation-options.ts'
import { SubjectField } from './subject-field.tsx'

/** The key pair or the person that is limited. */
export type Subject = SpendingLimitCreate['subject']

/** The limits that are amounts, in the order of the form. */
const amounts = ['per_operation', 'per_day', 'per_buyer_per_day'] as const
const labels = {
  per_operation: words.perOperation,
  per_day: words.perDay,
  per_buyer_per_day: words.perBuyer,
} as const satisfies Record<(typeof amounts)[number], string>

type Typed = Record<(typeof amounts)[number] | 'count_per_day', string>

const typedOf = (limit: SpendingLimit | undefined): Typed => {
  const amount = (of: number | null | undefined) =>
    limit && typeof of === 'number' ? typedAmount(of, limit.currency) : ''
  return {
    per_operation: amount(limit?.per_operation),
    per_day: amount(limit?.per_day),
    per_buyer_per_day: amount(limit?.per_buyer_per_day),
    count_per_day: `${limit?.count_per_day ?? ''}`,
  }
}

/** Empty: not limited. Undefined: a field has no amount or number. */
function readLimits(typed: Typed, currency: string): SpendingLimitUpdate | undefined {
  const read = {
    ...Object.fromEntries(
      amounts.map((name) => [name, typed[name].trim() ? parseAmount(typed[name], currency) : null]),
    ),
    count_per_day: readCount(typed.count_per_day),
  }
  return Object.values(read).includes(undefined) ? undefined : (read as SpendingLimitUpdate)
}

function readCount(text: string): number | null | undefined {
  if (!text.trim()) return null
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined
}

/** Sets a limit, or changes one. Its subject, operation and currency stay. */
export function LimitForm({
  limit,
  subject: given,
  onClose,
}: {
  limit: SpendingLimit | undefined
  /** Undefined: it is chosen. */
  subject: Subject | undefined
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [chosen, setSubject] = useState<Subject>()
  const [operation, setOperation] = useState<string>('refund')
  const [currencyText, setCurrency] = useState('EUR')
  const [typed, setTyped] = useState(typedOf(limit))
  const [isMissing, setMissing] = useState(false)
  const currency = limit?.currency ?? currencyText.trim().toUpperCase()
  const subject = given ?? chosen
  const save = useAction({
    run: (api, body: SpendingLimitUpdate | SpendingLimitCreate) =>
      limit
        ? api.spendingLimits.update(limit.id, body as SpendingLimitUpdate)
        : api.spendingLimits.create(body as SpendingLimitCreate),
    onDone: () => {
      say(limit ? words.saved : words.created)
      onClose()
    },
    changes: [['spending-limits']],
  })
  const problems = problemsOf(save.error)
  const send = () => {
    const limits = readLimits(typed, currency)
    setMissing(!limit && !subject)
    if (!limits) return
    if (limit) return save.mutate(limits)
    if (subject)
      save.mutate({
        subject,
        operation: operation as SpendingLimitCreate['operation'],
        currency,
        ...limits,
      })
  }
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={limit ? words.editTitle : words.setTitle}
      text={limit ? `${nameLimit(limit)}. ${words.editText}` : words.setText}
      submit={limit ? commonWords.save : words.set}
      busy={save.isPending}
      error={save.error}
      onSubmit={send}
    >
      {!limit && (
        <>
          {!given && (
            <SubjectField
              value={chosen}
              onChange={setSubject}
              problem={isMissing && !chosen ? words.chooseFirst : problems['/subject/id']}
            />
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label={words.operation}
              hint={words.operationHint}
              options={operationOptions}
              value={operation}
              onChange={setOperation}
            />
            <TextField
              label={members.currency}
              hint={words.currencyHint}
              maxLength={3}
              value={currencyText}
              onChange={setCurrency}
              problem={problems['/currency']}
            />
          </div>
        </>
      )}
      <p className="text-sm text-ink-2">{words.emptyHint}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {amounts.map((name) => (
          <AmountField
            key={name}
            label={labels[name]}
            hint={name === 'per_buyer_per_day' && words.perBuyerHint}
            currency={currency}
            value={typed[name]}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
            problem={problems[`/${name}`]}
          />
        ))}
        <TextField
          label={words.count}
          inputMode="numeric"
          value={typed.count_per_day}
          onChange={(value) => setTyped({ ...typed, count_per_day: value })}
          problem={
            readCount(typed.count_per_day) === undefined ? words.countWrong : problems['/count_per_day']
          }
        />
      </div>
    </FormDialog>
  )
}

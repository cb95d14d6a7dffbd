import type { PaymentMethod, PaymentMethodUpdate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'

const names = [
  'expiration_date',
  'scheme_transaction_id',
  'scheme_transaction_id_scheme',
  'transaction_link_id',
] as const

/** Changes what can be changed of a stored card. Only what has changed is sent. */
export function EditMethod({ method, onClose }: { method: PaymentMethod; onClose: () => void }): ReactNode {
  const say = useSay()
  const [before] = useState(
    () =>
      Object.fromEntries(names.map((name) => [name, method[name] ?? ''])) as Record<
        (typeof names)[number],
        string
      >,
  )
  const [values, setValues] = useState(before)
  const set = (name: (typeof names)[number]) => (value: string) =>
    setValues((all) => ({ ...all, [name]: value }))
  const save = useAction({
    run: (api, body: PaymentMethodUpdate) => api.paymentMethods.update(method.id, body),
    onDone: () => {
      say(words.saved)
      onClose()
    },
    changes: [['payment-methods']],
  })
  const problems = problemsOf(save.error)
  const schemes = [method.scheme, ...(method.additional_schemes ?? [])].filter((each) => each !== null)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.editTitle}
      text={words.editText}
      submit={commonWords.save}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.mutate(
          Object.fromEntries(
            names.flatMap((name) =>
              values[name].trim() === before[name] ? [] : [[name, values[name].trim() || null]],
            ),
          ),
        )
      }
    >
      <TextField
        label={words.expiry}
        hint={words.expiryHint}
        maxLength={5}
        value={values.expiration_date}
        problem={problems['/expiration_date']}
        onChange={set('expiration_date')}
      />
      <TextField
        label={words.schemeTransaction}
        optional
        value={values.scheme_transaction_id}
        problem={problems['/scheme_transaction_id']}
        onChange={set('scheme_transaction_id')}
      />
      <SelectField
        label={words.schemeTransactionScheme}
        optional
        value={values.scheme_transaction_id_scheme}
        problem={problems['/scheme_transaction_id_scheme']}
        options={[['', words.noScheme], ...schemes.map((each) => [each, each] as const)]}
        onChange={set('scheme_transaction_id_scheme')}
      />
      <TextField
        label={words.transactionLink}
        optional
        value={values.transaction_link_id}
        problem={problems['/transaction_link_id']}
        onChange={set('transaction_link_id')}
      />
    </FormDialog>
  )
}

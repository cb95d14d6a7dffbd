import type { Transaction, TransactionUpdate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { linesOfPairs, readPairs } from '../../format/pairs.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { TextArea, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { paymentWords } from '../../words/payments/payments.ts'

const words = paymentWords.actions

/** Changes what is the merchant's own: the reference, and metadata. */
export function EditPayment({ payment, onClose }: { payment: Transaction; onClose: () => void }): ReactNode {
  const [reference, setReference] = useState(payment.external_identifier ?? '')
  // the payment may be loaded again while it is edited
  const [before] = useState(payment.metadata ?? {})
  const [metadata, setMetadata] = useState(linesOfPairs(before).join('\n'))
  const say = useSay()
  const act = useAction({
    run: (api, body: TransactionUpdate) => api.transactions.update(payment.id, body),
    onDone: () => {
      say(words.editDone)
      onClose()
    },
    changes: [['transactions']],
  })
  const pairs = readPairs(metadata, before)
  const problems = problemsOf(act.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.edit}
      text={words.editText}
      submit={commonWords.save}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => {
        if (pairs)
          act.mutate({
            external_identifier: reference.trim() || null,
            ...(pairs !== before && { metadata: pairs }),
          })
      }}
    >
      <TextField
        label={paymentWords.detail.reference}
        optional
        value={reference}
        onChange={setReference}
        problem={problems['/external_identifier']}
      />
      <TextArea
        label={paymentWords.detail.metadata}
        optional
        hint={words.metadataHint}
        value={metadata}
        onChange={setMetadata}
        problem={problems['/metadata'] ?? (pairs ? undefined : words.metadataWrong)}
      />
    </FormDialog>
  )
}

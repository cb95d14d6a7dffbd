import type { GiftCardIssuanceCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { parseAmount } from '../../format/amount.ts'
import { Dialog, FormDialog } from '../../parts/dialogs/dialog.tsx'
import { AmountField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { UnknownOutcome } from '../../parts/messages/unknown-outcome.tsx'
import { Button } from '../../parts/page/button.tsx'
import { OutsideLink } from '../../parts/values/outside-link.tsx'
import { commonWords } from '../../words/common.ts'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { Missing } from './missing.tsx'

/** Has the service make a virtual card. Its address is a credential, shown once. */
export function IssueGiftCard({ onClose }: { onClose: () => void }): ReactNode {
  const say = useSay()
  const [theme, setTheme] = useState('')
  const [amount, setAmount] = useState('')
  const [currencyText, setCurrency] = useState('EUR')
  const [reference, setReference] = useState('')
  const [isMissing, setMissing] = useState(false)
  const currency = currencyText.trim().toUpperCase()
  const parsed = parseAmount(amount, currency)
  const issue = useAction({
    run: (api, body: GiftCardIssuanceCreate, idempotencyKey) =>
      api.giftCards.issuances.create(body, { idempotencyKey }),
    changes: [],
  })
  const problems = problemsOf(issue.error)
  if (issue.data) {
    const { url } = issue.data
    return (
      <Dialog open onClose={onClose} title={words.issued} text={words.issuedText}>
        <p className="mt-4 rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm select-all">
          <OutsideLink url={url} />
        </p>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={onClose}>{commonWords.close}</Button>
          <Button
            look="primary"
            onClick={() => void navigator.clipboard.writeText(url).then(() => say(words.copied))}
          >
            {words.copyAddress}
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.issue}
      text={words.issueText}
      submit={words.issue}
      busy={issue.isPending}
      error={issue.error}
      onSubmit={() => {
        const isComplete = theme.trim() !== '' && parsed !== undefined && currency !== ''
        setMissing(!isComplete)
        if (isComplete)
          issue.mutate({
            theme: theme.trim(),
            amount: parsed,
            currency,
            ...(reference.trim() && { external_identifier: reference.trim() }),
          })
      }}
    >
      <TextField
        label={words.theme}
        hint={words.themeHint}
        value={theme}
        onChange={setTheme}
        problem={problems['/theme']}
      />
      <div className="grid grid-cols-[1fr_100px] gap-2">
        <AmountField
          label={words.amount}
          currency={currency}
          value={amount}
          onChange={setAmount}
          problem={problems['/amount']}
        />
        <TextField
          label={words.currency}
          hint={words.currencyHint}
          maxLength={3}
          value={currencyText}
          onChange={setCurrency}
          problem={problems['/currency']}
        />
      </div>
      <TextField
        label={words.reference}
        optional
        maxLength={200}
        value={reference}
        onChange={setReference}
        problem={problems['/external_identifier']}
      />
      <Missing shown={isMissing} />
      <UnknownOutcome error={issue.error} text={words.unknownOutcome} />
    </FormDialog>
  )
}

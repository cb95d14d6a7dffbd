import type { Buyer, GiftCardActivationCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { parseAmount } from '../../format/amount.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { AmountField, CheckField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { UnknownOutcome } from '../../parts/messages/unknown-outcome.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { BuyerField } from '../buyers/buyer-field.tsx'
import { Missing } from './missing.tsx'
import { digitsOf, NumberFields } from './number-fields.tsx'

/** Has the service activate a card, with or without money on it. */
export function ActivateGiftCard({ onClose }: { onClose: () => void }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const [number, setNumber] = useState('')
  const [pin, setPin] = useState('')
  const [amount, setAmount] = useState('')
  const [currencyText, setCurrency] = useState('EUR')
  const [reference, setReference] = useState('')
  const [isKept, setKept] = useState(false)
  const [buyer, setBuyer] = useState<Buyer>()
  const [isMissing, setMissing] = useState(false)
  const currency = currencyText.trim().toUpperCase()
  const parsed = parseAmount(amount, currency)
  const activate = useAction({
    run: (api, body: GiftCardActivationCreate, idempotencyKey) =>
      api.giftCards.activations.create(body, { idempotencyKey }),
    onDone: ({ id }, { store }) => {
      say(words.activated)
      onClose()
      if (store) navigate(`/${account}/gift-cards/${id}`)
    },
    changes: [['gift-cards']],
  })
  const problems = problemsOf(activate.error)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={words.activate}
      text={words.activateText}
      submit={words.activate}
      busy={activate.isPending}
      error={activate.error}
      onSubmit={() => {
        const isComplete = number.trim() !== '' && (amount.trim() === '' || parsed !== undefined)
        setMissing(!isComplete)
        if (isComplete)
          activate.mutate({
            number: digitsOf(number),
            ...(pin && { pin }),
            ...(parsed !== undefined && { amount: parsed, currency }),
            ...(reference.trim() && { external_identifier: reference.trim() }),
            ...(isKept && { store: true, ...(buyer && { buyer_id: buyer.id }) }),
          })
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberFields
          number={number}
          pin={pin}
          onNumber={setNumber}
          onPin={setPin}
          problems={problems}
          isPinOptional
        />
        <AmountField
          label={words.amount}
          currency={currency}
          optional
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
        <TextField
          label={words.reference}
          optional
          maxLength={200}
          value={reference}
          onChange={setReference}
          problem={problems['/external_identifier']}
        />
      </div>
      <CheckField label={words.keep} checked={isKept} onChange={setKept} />
      {isKept && <BuyerField optional value={buyer} onChange={setBuyer} problem={problems['/buyer_id']} />}
      <Missing shown={isMissing} />
      <UnknownOutcome error={activate.error} text={words.unknownOutcome} />
    </FormDialog>
  )
}

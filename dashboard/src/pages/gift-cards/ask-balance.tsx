import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { Balance } from './balance.tsx'
import { Missing } from './missing.tsx'
import { digitsOf, NumberFields } from './number-fields.tsx'

/** Asks for the balance of a gift card that is not stored. */
export function AskBalance({ onClose }: { onClose: () => void }): ReactNode {
  const [number, setNumber] = useState('')
  const [pin, setPin] = useState('')
  const [isMissing, setMissing] = useState(false)
  const ask = useAction({
    run: async (api, card: { number: string; pin: string }) =>
      (await api.giftCards.balances.list({ items: [card] }).page()).items[0],
    changes: [],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.askBalance}
      text={words.askBalanceText}
      submit={words.ask}
      busy={ask.isPending}
      error={ask.error}
      onSubmit={() => {
        const isComplete = number.trim() !== '' && pin !== ''
        setMissing(!isComplete)
        if (isComplete) ask.mutate({ number: digitsOf(number), pin })
      }}
    >
      <NumberFields
        number={number}
        pin={pin}
        onNumber={setNumber}
        onPin={setPin}
        problems={problemsOf(ask.error)}
      />
      <Missing shown={isMissing} />
      <div role="status">{ask.data && <Balance card={ask.data} />}</div>
    </FormDialog>
  )
}

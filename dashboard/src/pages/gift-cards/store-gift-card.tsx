import type { Buyer, GiftCardCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { BuyerField } from '../buyers/buyer-field.tsx'
import { Missing } from './missing.tsx'
import { digitsOf, NumberFields } from './number-fields.tsx'

/** Keeps a buyer's gift card. */
export function StoreGiftCard({ onClose }: { onClose: () => void }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const [number, setNumber] = useState('')
  const [pin, setPin] = useState('')
  const [buyer, setBuyer] = useState<Buyer>()
  const [isMissing, setMissing] = useState(false)
  const store = useAction({
    run: (api, body: GiftCardCreate, idempotencyKey) => api.giftCards.create(body, { idempotencyKey }),
    onDone: ({ id }) => {
      say(words.stored)
      navigate(`/${account}/gift-cards/${id}`)
    },
    changes: [['gift-cards']],
  })
  const problems = problemsOf(store.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.store}
      text={words.storeText}
      submit={words.store}
      busy={store.isPending}
      error={store.error}
      onSubmit={() => {
        const isComplete = number.trim() !== '' && pin !== ''
        setMissing(!isComplete)
        if (isComplete) store.mutate({ number: digitsOf(number), pin, ...(buyer && { buyer_id: buyer.id }) })
      }}
    >
      <NumberFields number={number} pin={pin} onNumber={setNumber} onPin={setPin} problems={problems} />
      <BuyerField optional value={buyer} onChange={setBuyer} problem={problems['/buyer_id']} />
      <Missing shown={isMissing} />
    </FormDialog>
  )
}

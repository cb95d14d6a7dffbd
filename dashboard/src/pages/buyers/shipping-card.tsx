import type { ShippingDetails, ShippingDetailsCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { changedContact, toContact } from './contact.ts'
import { ContactFields } from './contact-fields.tsx'
import { ContactLines } from './contact-lines.tsx'

type About = { is: 'new' } | { is: 'edit' | 'delete'; details: ShippingDetails }

/** Where goods are sent to a buyer. */
export function ShippingCard({ buyer }: { buyer: string }): ReactNode {
  const mayWrite = useMay('buyers.write')
  const dialog = useDialog<About>()
  const query = useLoad(
    ['buyers', buyer, 'shipping'],
    async (api, signal) => (await api.buyers.shippingDetails.list(buyer, { signal }).page()).items,
  )
  return (
    <Card title={words.shipping}>
      <Loaded query={query}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-ink-3">{words.noShipping}</p>
          ) : (
            <ul className="grid gap-3">
              {all.map((details) => (
                <li key={details.id} className="border-b border-line pb-3 last:border-b-0">
                  <ContactLines details={details} />
                  {mayWrite && (
                    <div className="mt-1 flex gap-1">
                      <Button
                        look="quiet"
                        aria-label={commonWords.of(commonWords.edit, addressName(details))}
                        onClick={() => dialog.open({ is: 'edit', details })}
                      >
                        {commonWords.edit}
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={commonWords.of(commonWords.delete, addressName(details))}
                        onClick={() => dialog.open({ is: 'delete', details })}
                      >
                        {commonWords.delete}
                      </Button>
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayWrite && (
        <Button className="mt-3" onClick={() => dialog.open({ is: 'new' })}>
          {words.addShipping}
        </Button>
      )}
      {dialog.about?.is === 'delete' && (
        <DeleteDialog buyer={buyer} details={dialog.about.details} onClose={dialog.close} />
      )}
      {dialog.about && dialog.about.is !== 'delete' && (
        <ShippingDialog
          buyer={buyer}
          details={dialog.about.is === 'edit' ? dialog.about.details : undefined}
          onClose={dialog.close}
        />
      )}
    </Card>
  )
}

/** What tells an address from the others of a buyer. */
const addressName = ({ first_name, last_name, address }: ShippingDetails): string =>
  [first_name, last_name, address?.line1, address?.city].filter(Boolean).join(' ') || words.shipping

function ShippingDialog({
  buyer,
  details,
  onClose,
}: {
  buyer: string
  details: ShippingDetails | undefined
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [before] = useState(toContact(details))
  const [contact, setContact] = useState(before)
  const save = useAction({
    run: (api, body: ShippingDetailsCreate, idempotencyKey) =>
      details?.id
        ? api.buyers.shippingDetails.update(buyer, details.id, body)
        : api.buyers.shippingDetails.create(buyer, body, { idempotencyKey }),
    onDone: () => {
      say(words.shippingDone)
      onClose()
    },
    changes: [['buyers', buyer, 'shipping']],
  })
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={details ? words.editShipping : words.addShipping}
      submit={commonWords.save}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(changedContact(before, contact))}
    >
      <ContactFields value={contact} onChange={setContact} problems={problemsOf(save.error)} pointer="" />
    </FormDialog>
  )
}

function DeleteDialog({
  buyer,
  details,
  onClose,
}: {
  buyer: string
  details: ShippingDetails
  onClose: () => void
}): ReactNode {
  return (
    <ConfirmDialog
      danger
      title={words.deleteShipping}
      submit={commonWords.delete}
      text={words.deleteShippingText}
      done={words.shippingDeleted}
      run={(api) => api.buyers.shippingDetails.delete(buyer, details.id ?? '')}
      changes={[['buyers', buyer, 'shipping']]}
      onClose={onClose}
    >
      <ContactLines details={details} />
    </ConfirmDialog>
  )
}

import { type Buyer, type BuyerUpdate, RailyardError } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { changedContact, toContact } from './contact.ts'
import { ContactFields } from './contact-fields.tsx'

const names = ['display_name', 'external_identifier', 'account_number'] as const

/** Creates a buyer, or changes one. Only what has changed is sent. */
export function BuyerDialog({
  buyer,
  onClose,
  onDone,
}: {
  /** Absent: a new one. */
  buyer?: Buyer
  onClose: () => void
  onDone: (buyer: Buyer) => void
}): ReactNode {
  const { account } = useSignedIn()
  const [before] = useState({
    plain: Object.fromEntries(names.map((name) => [name, buyer?.[name] ?? ''])) as Record<
      (typeof names)[number],
      string
    >,
    contact: toContact(buyer?.billing_details),
    taxId: buyer?.billing_details?.tax_id?.value ?? '',
    taxKind: buyer?.billing_details?.tax_id?.kind ?? '',
  })
  const [plain, setPlain] = useState(before.plain)
  const [contact, setContact] = useState(before.contact)
  const [taxId, setTaxId] = useState<string>(before.taxId)
  const [taxKind, setTaxKind] = useState<string>(before.taxKind)

  const save = useAction({
    run: (api, body: BuyerUpdate, idempotencyKey) =>
      buyer ? api.buyers.update(buyer.id, body) : api.buyers.create(body, { idempotencyKey }),
    onDone,
    changes: [['buyers']],
  })
  const problems = problemsOf(save.error)
  const duplicate = save.error instanceof RailyardError ? save.error.resourceId : undefined
  const send = () => {
    const billing = {
      ...changedContact(before.contact, contact),
      ...((taxId !== before.taxId || taxKind !== before.taxKind) && {
        tax_id: taxId.trim() ? { value: taxId.trim(), kind: taxKind.trim() } : null,
      }),
    }
    const changed = names.filter((name) => before.plain[name] !== plain[name].trim())
    save.mutate({
      ...Object.fromEntries(changed.map((name) => [name, plain[name].trim() || null])),
      ...(Object.keys(billing).length > 0 && { billing_details: billing }),
    })
  }
  const person = words.person
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={buyer ? words.editTitle : words.create}
      text={buyer ? undefined : words.createText}
      submit={buyer ? commonWords.save : commonWords.create}
      busy={save.isPending}
      error={save.error}
      onSubmit={send}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {names.map((name) => (
          <TextField
            key={name}
            label={person[name]}
            hint={name === 'external_identifier' ? person.external_identifier_hint : undefined}
            maxLength={200}
            value={plain[name]}
            problem={problems[`/${name}`]}
            onChange={(value) => setPlain((all) => ({ ...all, [name]: value }))}
          />
        ))}
      </div>
      <fieldset className="grid gap-4">
        <legend className="mb-2 font-medium">{words.billing}</legend>
        <ContactFields value={contact} onChange={setContact} problems={problems} pointer="/billing_details" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={person.tax_id}
            value={taxId}
            problem={problems['/billing_details/tax_id/value']}
            onChange={setTaxId}
          />
          <TextField
            label={person.tax_kind}
            hint={person.tax_kind_hint}
            value={taxKind}
            problem={problems['/billing_details/tax_id/kind']}
            onChange={setTaxKind}
          />
        </div>
      </fieldset>
      {duplicate && (
        <p className="text-sm">
          {words.duplicate}{' '}
          <Link className="underline" to={`/${account}/buyers/${duplicate}`} onClick={onClose}>
            {words.toDuplicate}
          </Link>
        </p>
      )}
    </FormDialog>
  )
}

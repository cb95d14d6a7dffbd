import type { ReactNode } from 'react'
import { TextField } from '../../parts/forms/field.tsx'
import { buyerWords } from '../../words/payments/buyers.ts'
import { addressNames, type Contact, contactNames } from './contact.ts'

const words = buyerWords.person

/** The fields of a name, contact data and an address. */
export function ContactFields({
  value,
  onChange,
  problems,
  pointer,
}: {
  value: Contact
  onChange: (value: Contact) => void
  /** What is wrong, by JSON pointer. */
  problems: Record<string, string>
  /** The JSON pointer of the member that it is; empty: the body. */
  pointer: string
}): ReactNode {
  const field = (name: keyof Contact, path: string) => (
    <TextField
      key={name}
      label={words[name]}
      hint={`${name}_hint` in words ? words[`${name}_hint` as keyof typeof words] : undefined}
      type={name === 'email_address' ? 'email' : 'text'}
      value={value[name]}
      problem={problems[`${path}/${name}`]}
      onChange={(text) => onChange({ ...value, [name]: text })}
    />
  )
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {contactNames.map((name) => field(name, pointer))}
      {addressNames.map((name) => field(name, `${pointer}/address`))}
    </div>
  )
}

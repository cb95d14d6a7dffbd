import type { ReactNode } from 'react'
import { TextField } from '../../parts/forms/field.tsx'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'

/** The number and the PIN of a gift card. They stay in the form, and are gone with it. */
export function NumberFields({
  number,
  pin,
  onNumber,
  onPin,
  problems,
  isPinOptional = false,
}: {
  number: string
  pin: string
  onNumber: (value: string) => void
  onPin: (value: string) => void
  problems: Record<string, string>
  isPinOptional?: boolean
}): ReactNode {
  return (
    <>
      <TextField
        label={words.number}
        hint={words.numberHint}
        inputMode="numeric"
        spellCheck={false}
        maxLength={30}
        value={number}
        problem={problems['/number'] ?? problems['/items/0/number']}
        onChange={onNumber}
      />
      <TextField
        label={words.pin}
        type="password"
        autoComplete="off"
        optional={isPinOptional}
        value={pin}
        problem={problems['/pin'] ?? problems['/items/0/pin']}
        onChange={onPin}
      />
    </>
  )
}

/** A number as it is sent: without the spaces that are printed on cards. */
export const digitsOf = (number: string): string => number.replaceAll(/[\s-]/g, '')

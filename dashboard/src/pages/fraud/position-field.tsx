import type { ReactNode } from 'react'
import { TextField } from '../../parts/forms/field.tsx'
import { fraudWords } from '../../words/connections/fraud.ts'

const words = fraudWords.services

/** The position that a person typed; undefined: none, null: no number. */
export const parsePosition = (text: string): number | undefined | null =>
  text.trim() === '' ? undefined : /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : null

export const PositionField = ({
  value,
  onChange,
}: {
  value: string
  onChange: (value: string) => void
}): ReactNode => (
  <TextField
    label={words.position}
    hint={words.positionHint}
    optional
    inputMode="numeric"
    value={value}
    onChange={onChange}
    problem={parsePosition(value) === null ? words.positionWrong : undefined}
  />
)

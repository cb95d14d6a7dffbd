import type { ReactNode } from 'react'
import { CheckField } from './field.tsx'

export interface Choice {
  value: string
  text: string
  /** What it means. */
  hint?: ReactNode
}

/** Several choices with what each means, all in view. Without that, of many: `ChoicesField`. */
export function CheckList({
  label,
  hint,
  problem,
  choices,
  chosen,
  onChange,
}: {
  label: string
  hint?: ReactNode
  problem?: string | undefined
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}): ReactNode {
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">{label}</legend>
      {hint && <p className="text-xs text-ink-3">{hint}</p>}
      <div className="mt-1 grid max-h-72 gap-2 overflow-y-auto rounded-md border border-line p-3">
        {choices.map(({ value, text, hint: about }) => (
          <CheckField
            key={value}
            label={text}
            hint={about}
            checked={chosen.includes(value)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
        ))}
      </div>
      {problem && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

import type { ReactNode } from 'react'
import { instantOf, typedTime } from '../../format/time.ts'
import { useZone } from '../../format/zone.tsx'
import { commonWords as words } from '../../words/common.ts'
import { TextField } from './field.tsx'

/** A moment, typed in the zone in which times are shown. `value` is an ISO 8601 time in UTC; empty: none. */
export function TimeField({
  label,
  hint,
  problem,
  optional,
  step,
  value,
  onChange,
}: {
  label: string
  hint?: string | undefined
  problem?: string | undefined
  optional?: boolean
  /** Seconds; 1 lets a person type them. */
  step?: number
  value: string
  onChange: (value: string) => void
}): ReactNode {
  const { name: zone } = useZone()
  return (
    <TextField
      label={label}
      hint={[hint, words.inZone(zone)].filter(Boolean).join(' ')}
      problem={problem}
      optional={optional ?? false}
      type="datetime-local"
      step={step}
      value={typedTime(value, zone)}
      onChange={(typed) => onChange(instantOf(typed, zone))}
    />
  )
}

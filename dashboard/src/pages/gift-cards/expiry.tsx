import type { ReactNode } from 'react'
import { Time } from '../../parts/values/values.tsx'

/** When a gift card expires: a day, or what its service says instead, such as `12/35`. */
export function Expiry({ date }: { date: string | null }): ReactNode {
  if (!date) return null
  return /^\d{4}-\d\d-\d\dT/.test(date) ? <Time at={date} form="day" /> : date
}

import type { ReactNode } from 'react'
import { readable } from '../../format/names.ts'
import { Tag, type Tone } from './tag.tsx'

/** How a status is shown, by its name in the API. */
export type StatusLooks = Readonly<Record<string, readonly [text: string, tone: Tone]>>

/** A status in the words of a table; one that the table does not know is shown as it is. */
export function StatusTag({ status, looks }: { status: string; looks: StatusLooks }): ReactNode {
  const [text, tone] = (Object.hasOwn(looks, status) && looks[status]) || [readable(status), 'quiet']
  return <Tag tone={tone}>{text}</Tag>
}

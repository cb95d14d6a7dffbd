import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

const tones: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  quiet: 'bg-quiet-soft text-ink-2',
}

/** A status in a word; its colour has the meaning, and the word says it, too. */
export const Tag = ({
  tone = 'quiet',
  children,
}: {
  tone?: Tone | undefined
  children: ReactNode
}): ReactNode => (
  <span
    className={`inline-block rounded-sm px-[7px] py-0.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
  >
    {children}
  </span>
)

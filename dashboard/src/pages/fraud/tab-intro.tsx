import type { ReactNode } from 'react'

/** What a tab is about, beside its first action. */
export const TabIntro = ({ text, children }: { text: string; children?: ReactNode }): ReactNode => (
  <div className="mb-3 flex flex-wrap items-start gap-3">
    <p className="mr-auto max-w-3xl text-sm text-ink-2">{text}</p>
    {children}
  </div>
)

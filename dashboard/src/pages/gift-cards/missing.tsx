import type { ReactNode } from 'react'
import { Notice } from '../../parts/messages/notice.tsx'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'

/** Says that a form cannot be sent yet. */
export const Missing = ({ shown }: { shown: boolean }): ReactNode =>
  shown && (
    <div role="alert">
      <Notice tone="bad">{words.missing}</Notice>
    </div>
  )

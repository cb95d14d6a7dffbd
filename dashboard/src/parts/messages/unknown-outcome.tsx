import { RailyardError } from '@railyard/client'
import type { ReactNode } from 'react'
import { Notice } from './notice.tsx'

/** What a person does when it is not known whether something was done (504). */
export const UnknownOutcome = ({ error, text }: { error: unknown; text: string }): ReactNode =>
  error instanceof RailyardError && error.status === 504 ? <Notice tone="warn">{text}</Notice> : null

import type { ReactNode } from 'react'
import { isSandbox } from '../api/place.ts'
import { shellWords as words } from '../words/shell.ts'

/** Says on every page whether money moves. */
export const EnvironmentMark = (): ReactNode =>
  isSandbox ? (
    <p className="rounded-md bg-warn-soft p-2 text-xs text-warn">{words.sandbox}</p>
  ) : (
    <p className="rounded-md bg-accent-soft p-2 text-xs text-accent">{words.production}</p>
  )

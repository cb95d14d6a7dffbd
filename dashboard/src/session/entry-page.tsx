import type { ReactNode } from 'react'
import { EnvironmentMark } from '../shell/environment-mark.tsx'

/** A page before the dashboard itself. */
export const EntryPage = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <main className="mx-auto grid min-h-screen max-w-sm content-center gap-4 p-4">
    <h1 className="text-xl font-semibold">{title}</h1>
    {children}
    <EnvironmentMark />
  </main>
)

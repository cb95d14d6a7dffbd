import type { ReactNode } from 'react'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { reportWords as words } from '../../words/finance/reports.ts'

export function ReportTabs({ current }: { current: 'reports' | 'files' }): ReactNode {
  const { account } = useSignedIn()
  const at = `/${account}/reports`
  return (
    <TabLinks
      label={words.views}
      tabs={[
        { text: words.all, to: at, current: current === 'reports' },
        { text: words.executions, to: `${at}/files`, current: current === 'files' },
      ]}
    />
  )
}

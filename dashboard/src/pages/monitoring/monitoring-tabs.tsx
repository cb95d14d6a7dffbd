import type { ReactNode } from 'react'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { useWaiting } from '../../shell/attention.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'

type Tab = 'metrics' | 'incidents' | 'hostedPages'

export function MonitoringTabs({ current }: { current: Tab }): ReactNode {
  const { account } = useSignedIn()
  const waiting = useWaiting()
  const withCount = (text: string, count: string | undefined) => (count ? words.withOpen(text, count) : text)
  const at = `/${account}/monitoring`
  return (
    <TabLinks
      label={words.views}
      tabs={[
        { text: words.metrics, to: at, current: current === 'metrics' },
        {
          text: withCount(words.incidents, waiting(['monitoring_incidents'])),
          to: `${at}/incidents`,
          current: current === 'incidents',
        },
        {
          text: withCount(words.hostedPages, waiting(['hosted_page_incidents'])),
          to: `${at}/hosted-pages`,
          current: current === 'hostedPages',
        },
      ]}
    />
  )
}

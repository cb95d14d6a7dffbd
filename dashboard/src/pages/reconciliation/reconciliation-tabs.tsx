import type { ReactNode } from 'react'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { reconciliationWords as words } from '../../words/finance/reconciliation.ts'

type Tab = 'unmatched' | 'notSettled'

/** The two sides of reconciliation: lines without a payment, and payments without a line. */
export function ReconciliationTabs({ current }: { current: Tab }): ReactNode {
  const { account } = useSignedIn()
  const mayReadReports = useMay('reports.read')
  const mayReadPayments = useMay('transactions.read')
  const at = `/${account}/reconciliation`
  return (
    <TabLinks
      label={words.views}
      tabs={[
        ...(mayReadReports ? [{ text: words.unmatched, to: at, current: current === 'unmatched' }] : []),
        ...(mayReadPayments
          ? [{ text: words.notSettled, to: `${at}/not-settled`, current: current === 'notSettled' }]
          : []),
      ]}
    />
  )
}

import type { UnmatchedReportLine } from '@railyard/client'
import type { ReactNode } from 'react'
import { useList } from '../../api/use-api.ts'
import { useServiceNames } from '../../api/use-service-names.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { QuietTime } from '../../parts/values/values.tsx'
import { reconciliationWords as words } from '../../words/finance/reconciliation.ts'
import { FindPaymentDialog } from './find-payment.tsx'
import { ReconciliationTabs } from './reconciliation-tabs.tsx'
import { describeReason } from './unmatched-reason.ts'

export function Page(): ReactNode {
  const services = new Map(useServiceNames())
  const dialog = useDialog<UnmatchedReportLine>()
  const query = useList(
    ['unmatched-lines'],
    (api, cursor, signal) => api.reconciliation.unmatchedLines.list({ cursor, limit: 50 }, { signal }).page(),
    { refresh: 60_000 },
  )
  const columns: Column<UnmatchedReportLine>[] = [
    {
      id: 'reason',
      header: words.columns.reason,
      cell: ({ reason }) => <Tag tone={describeReason(reason).tone}>{describeReason(reason).text}</Tag>,
    },
    {
      id: 'find',
      header: words.columns.find,
      cell: (line) => (
        <button type="button" className="underline" onClick={() => dialog.open(line)}>
          {words.find}
        </button>
      ),
    },
    {
      id: 'line',
      header: words.columns.line,
      cell: ({ text }) => <code className="font-mono text-sm">{text}</code>,
    },
    {
      id: 'service',
      header: words.columns.service,
      wide: true,
      cell: ({ payment_service_id }) => services.get(payment_service_id) ?? payment_service_id,
    },
    { id: 'number', header: words.columns.number, align: 'end', wide: true, cell: ({ line }) => line },
    {
      id: 'read',
      header: words.columns.read,
      wide: true,
      align: 'end',
      cell: ({ created_at }) => <QuietTime at={created_at} />,
    },
    {
      id: 'tried',
      header: words.columns.tried,
      align: 'end',
      shown: false,
      cell: ({ tried_at }) => <QuietTime at={tried_at} />,
    },
  ]
  return (
    <Layout title={words.title}>
      <ReconciliationTabs current="unmatched" />
      <DataTable
        label={words.unmatched}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {dialog.about && <FindPaymentDialog line={dialog.about} onClose={dialog.close} />}
    </Layout>
  )
}

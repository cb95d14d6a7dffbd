import type { ReportExecution } from '@railyard/client'
import type { Column } from '../../parts/lists/data-table.tsx'
import { QuietTime, Time } from '../../parts/values/values.tsx'
import { reportWords } from '../../words/finance/reports.ts'
import { DownloadButton, ExecutionState } from './execution-state.tsx'

const words = reportWords.executionColumns

export const executionColumns: readonly Column<ReportExecution>[] = [
  { id: 'state', header: words.state, cell: (execution) => <ExecutionState execution={execution} /> },
  {
    id: 'file',
    header: words.file,
    cell: (execution) => <DownloadButton reportId={execution.report.id} execution={execution} />,
  },
  {
    id: 'until',
    header: words.until,
    wide: true,
    cell: ({ context }) => <Time at={context.reference_timestamp} form="both" />,
  },
  { id: 'zone', header: words.zone, wide: true, cell: ({ context }) => context.reference_timezone },
  {
    id: 'created',
    header: words.created,
    align: 'end',
    wide: true,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

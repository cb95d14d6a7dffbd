import { Type } from 'typebox'
import { Described, Text } from '../../api/schema.ts'
import type { UnmatchedReportLine } from '../../reconciliation/unmatched-line.schema.ts'
import { read } from '../call-api.ts'
import { Input, Output, reads, tool } from '../tool.ts'
import { marked } from '../untrusted.ts'

export const getReconciliation = tool({
  name: 'get_reconciliation',
  title: 'Get the reconciliation',
  description:
    'Lines of the payment services’ settlement reports that match no operation of Railyard, or match one with other values, the newest first. What reports say of one payment is in explain_payment (`settlements`).',
  input: Input({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
    cursor: Type.Optional(Described(Text(1, 1000), '`next_cursor` of the page before')),
  }),
  output: Output({
    unmatched_lines: Type.Array(Type.Unknown()),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  annotations: reads,
  scopes: ['reports.read'],
  async run({ limit = 20, cursor }, { call }) {
    const page = await read<{ items: UnmatchedReportLine[]; next_cursor: string | null }>(
      call,
      '/reconciliation/unmatched-lines',
      { limit, cursor },
    )
    return { unmatched_lines: page.items.map(marked), next_cursor: page.next_cursor }
  },
})

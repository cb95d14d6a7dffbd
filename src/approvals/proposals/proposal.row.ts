import type { Selectable } from 'kysely'
import type { ProposalDecisionTable, ProposalTable } from '../../database/tables/approvals.ts'

export type ProposalRow = Selectable<ProposalTable>
export type ProposalDecisionRow = Selectable<ProposalDecisionTable>

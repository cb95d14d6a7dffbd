import type { Selectable } from 'kysely'
import type { EventTable } from '../database/tables/events.ts'

export type EventRow = Selectable<EventTable>

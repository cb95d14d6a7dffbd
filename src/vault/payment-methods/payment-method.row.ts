import type { Selectable } from 'kysely'
import type { PaymentMethodTable } from '../../database/tables/vault.ts'

export type PaymentMethodRow = Selectable<PaymentMethodTable>

import type { Refund } from '@railyard/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { useLoad } from '../../api/use-api.ts'

/** The refunds of a payment, the newest first. */
export const useRefundsOf = (payment: string, enabled = true): UseQueryResult<Refund[]> =>
  useLoad(
    ['transactions', payment, 'refunds'],
    async (api, signal) => (await api.transactions.refunds.list(payment, { signal }).page()).items,
    { enabled, refresh: 10_000 },
  )

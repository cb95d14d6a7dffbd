import { type FlowRules, NotFoundError, type PaymentService, type Railyard } from '@railyard/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { useMay } from '../../session/signed-in.ts'
import type { Flow } from './flows.ts'

export interface Rules {
  live: FlowRules | undefined
  draft: FlowRules | undefined
}

type Choice = { state: 'live' | 'draft' } | { version: number }

/** The rules of a flow; undefined where there are none. */
export const rulesOf = (
  api: Railyard,
  flow: Flow,
  choice: Choice,
  signal?: AbortSignal,
): Promise<FlowRules | undefined> =>
  api.flows.rules
    .list(flow, choice, signal && { signal })
    .page()
    .catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })

/** The live rules of a flow, and those that are being edited. */
export const useRules = (flow: Flow): UseQueryResult<Rules> =>
  useLoad(['flows', flow, 'rules'], async (api, signal) => {
    const [live, draft] = await Promise.all([
      rulesOf(api, flow, { state: 'live' }, signal),
      rulesOf(api, flow, { state: 'draft' }, signal),
    ])
    return { live, draft }
  })

/** The payment services of the account, which rules name by their ids. */
export function useServices(): readonly PaymentService[] {
  const may = useMay('payment-services.read')
  const query = useLoad(
    ['payment-services', 'for rules'],
    (api, signal) => every(api.paymentServices.list({ limit: 100 }, { signal })),
    { enabled: may },
  )
  return query.data ?? []
}

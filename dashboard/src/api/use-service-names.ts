import { useMay } from '../session/signed-in.ts'
import { every } from './every.ts'
import { useLoad } from './use-api.ts'

/** The payment services of the account by name: `[id, name]`. Empty for people who may not see them. */
export function useServiceNames(): readonly (readonly [id: string, name: string])[] {
  const enabled = useMay('payment-services.read')
  const { data = [] } = useLoad(
    ['payment-services', 'names'],
    (api, signal) => every(api.paymentServices.list({ limit: 100 }, { signal })),
    { enabled },
  )
  return data.map(({ id, display_name }) => [id, display_name] as const)
}

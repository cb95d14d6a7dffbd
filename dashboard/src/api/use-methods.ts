import { useLoad } from './use-api.ts'

/** The methods that payments can have, in the API's words. */
export function useMethods(): readonly string[] {
  const query = useLoad(['payment-method-definitions'], async (api, signal) => {
    const { items } = await api.paymentMethodDefinitions.list({ signal }).page()
    return [...new Set(items.flatMap(({ method }) => method ?? []))].toSorted()
  })
  return query.data ?? []
}

import type { ServiceForCall } from '../contract/call.ts'

const providerUrls = {
  sandbox: 'https://api-m.sandbox.paypal.com',
  production: 'https://api-m.paypal.com',
}

export const isSimulated = ({ environment }: ServiceForCall['fields']): boolean => environment === 'simulator'

/**
 * The base URL for a service. A service that was configured for a simulator uses the provider's sandbox if
 * there is no simulator.
 */
export function baseUrl(sandboxUrl: string | undefined, { id, fields }: ServiceForCall): string {
  if (isSimulated(fields) && sandboxUrl) return `${sandboxUrl}/wallet/${id}`
  return fields['environment'] === 'production' ? providerUrls.production : providerUrls.sandbox
}

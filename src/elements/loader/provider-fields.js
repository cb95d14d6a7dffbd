/** @import { ProviderFields, ShowOptions } from '../providers/types.ts' */
import { RailyardElementsError } from './error.js'
import { loadServedScript } from './served-script.js'

/**
 * Shows the fields of a provider in place of Railyard's, by an adapter that Railyard serves. Card numbers go from the
 * provider's frames to the provider. Rejects with `provider_failed`.
 * @param {string} base
 * @param {ShowOptions} options
 * @returns {Promise<ProviderFields>}
 */
export async function showProvider(base, options) {
  try {
    await loadServedScript(base, options.provider)
    const show = globalThis.railyardProviders?.[options.provider.name]
    if (show) return await show(options)
  } catch {
    // the page's policy has blocked a script, or there was no answer
  }
  throw new RailyardElementsError('provider_failed')
}

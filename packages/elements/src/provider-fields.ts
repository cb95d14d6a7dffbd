import type { Provider, ProviderFields, ProviderToken } from '../../../src/elements/providers/types.d.ts'
import type { CardOptions } from './card.ts'
import { errorOf, RailyardElementsError } from './error.ts'
import type { Listeners } from './listeners.ts'
import type { CardStyle } from './messages.ts'

/** The fields of a provider's own script, which the page shows in place of Railyard's. */
export interface MountedProvider extends Omit<ProviderFields, 'createToken'> {
  /** Rejects with a `RailyardElementsError`. */
  createToken(): Promise<ProviderToken>
}

interface ProviderToMount {
  place: Element
  /** Where Railyard serves the adapter. */
  base: string
  provider: Provider
  options: CardOptions
  style: CardStyle | undefined
  listeners: Listeners
}

/**
 * Loads the adapter of a provider from Railyard, which loads the provider's script from the provider, and shows its
 * fields. Card numbers go from the provider's frames to the provider. Rejects with `provider_failed`.
 */
export async function mountProvider(mounting: ProviderToMount): Promise<MountedProvider> {
  const { place, base, provider, options, style = {}, listeners } = mounting
  const box = place.appendChild(place.ownerDocument.createElement('div'))
  setBoxStyle(box, style)
  try {
    await loadScript(`${base}/elements/assets/${provider.file}`, provider.integrity)
    const adapter = globalThis.railyardProviders?.[provider.name]
    if (!adapter) throw new TypeError(`railyard: ${provider.file} has no ${provider.name}`)
    const fields = await adapter({
      box,
      provider,
      style,
      locale: options.locale,
      postalCode: options.postalCode ?? false,
      loadScript: (url) => loadScript(url),
      onChange: ({ complete, brand, last4, isEmpty }) =>
        listeners.emit('change', {
          complete,
          brand,
          last4,
          fields: { number: { empty: isEmpty, valid: complete } },
        }),
      onFocus: (field) => listeners.emit('focus', field),
      onBlur: (field) => listeners.emit('blur', field),
    })
    return withOneTokenAtATime(box, fields)
  } catch {
    box.remove()
    throw new RailyardElementsError('provider_failed')
  }
}

function withOneTokenAtATime(box: HTMLElement, fields: ProviderFields): MountedProvider {
  let isBusy = false
  let end: ((error: Error) => void) | undefined
  // a provider's script may answer nothing once its fields are gone
  const removed = new Promise<never>((_, reject) => {
    end = reject
  })
  removed.catch(() => undefined)
  return {
    async createToken() {
      if (isBusy) throw new RailyardElementsError('busy')
      isBusy = true
      try {
        const token = fields.createToken().catch(() => ({ code: 'failed' as const }))
        const made = await Promise.race([token, removed])
        if ('code' in made) throw errorOf(made.code)
        return made
      } finally {
        isBusy = false
      }
    },
    setStyle(style) {
      setBoxStyle(box, style)
      fields.setStyle(style)
    },
    clear: () => fields.clear(),
    focus: () => fields.focus(),
    remove() {
      end?.(new RailyardElementsError('unmounted'))
      fields.remove()
      box.remove()
    },
  }
}

/** The border around the provider's frame is the page's; its text is the frame's. */
function setBoxStyle(box: HTMLElement, style: CardStyle): void {
  const { background, borderColor, borderRadius, borderWidth, padding } = style
  Object.assign(box.style, {
    ...(background && { background }),
    ...((borderColor || borderWidth) && { borderStyle: 'solid', borderWidth: borderWidth ?? '1px' }),
    ...(borderColor && { borderColor }),
    ...(borderRadius && { borderRadius }),
    ...(padding && { padding }),
  })
}

/** What the page has loaded, by URL. A load that failed is tried again. */
const loads = new Map<string, Promise<void>>()

function loadScript(src: string, integrity?: string): Promise<void> {
  const known = loads.get(src)
  if (known) return known
  const load = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    // ours is a module with a hash; a provider's is what the provider says
    Object.assign(script, { src, ...(integrity && { integrity, type: 'module', crossOrigin: 'anonymous' }) })
    script.onload = () => resolve()
    script.onerror = () => {
      loads.delete(src)
      script.remove()
      reject(new Error(src))
    }
    document.head.append(script)
  })
  loads.set(src, load)
  return load
}

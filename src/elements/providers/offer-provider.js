/** @import { CardStyle } from '../loader/types.ts' */
/** @import { ProviderName } from './provider.ts' */
/** @import { Adapter, ProviderFields, ShowFields } from './types.ts' */

/**
 * Makes an adapter known to the loader of the page.
 * @param {ProviderName} name
 * @param {Adapter} mount
 */
export function offerProvider(name, mount) {
  globalThis.railyardProviders ??= {}
  globalThis.railyardProviders[name] = showFields(mount)
}

/** @param {Adapter} mount @returns {ShowFields} */
const showFields =
  (mount) =>
  async ({ place, emit, ...options }) => {
    const box = place.appendChild(place.ownerDocument.createElement('div'))
    setBoxStyle(box, options.style)
    try {
      const fields = await mount({
        ...options,
        box,
        onChange: ({ complete, isEmpty, brand, last4 }) =>
          emit('change', {
            complete,
            brand,
            last4,
            fields: { number: { empty: isEmpty, valid: complete } },
          }),
        onFocus: (field) => emit('focus', field),
        onBlur: (field) => emit('blur', field),
      })
      return withOneTokenAtATime(box, fields)
    } catch (error) {
      box.remove()
      throw error
    }
  }

/** @param {HTMLElement} box @param {ProviderFields} fields @returns {ProviderFields} */
function withOneTokenAtATime(box, fields) {
  let isBusy = false
  /** @type {() => void} */
  let end = () => undefined
  // a provider's script may answer nothing once its fields are gone
  /** @type {Promise<{ code: 'unmounted' }>} */
  const removed = new Promise((resolve) => {
    end = () => resolve({ code: 'unmounted' })
  })
  return {
    async createToken() {
      if (isBusy) return { code: 'busy' }
      isBusy = true
      const token = fields.createToken().catch(() => /** @type {const} */ ({ code: 'failed' }))
      const made = await Promise.race([token, removed])
      isBusy = false
      return made
    },
    setStyle(style) {
      setBoxStyle(box, style)
      fields.setStyle(style)
    },
    clear: () => fields.clear(),
    focus: () => fields.focus(),
    remove() {
      end()
      fields.remove()
      box.remove()
    },
  }
}

/**
 * The border around the provider's frame is the page's; its text is the frame's.
 * @param {HTMLElement} box
 * @param {CardStyle} style
 */
function setBoxStyle(box, { background, borderColor, borderRadius, borderWidth, padding }) {
  Object.assign(box.style, {
    ...(background && { background }),
    ...((borderColor || borderWidth) && { borderStyle: 'solid', borderWidth: borderWidth ?? '1px' }),
    ...(borderColor && { borderColor }),
    ...(borderRadius && { borderRadius }),
    ...(padding && { padding }),
  })
}

/** The providers' scripts that this adapter has loaded, by URL. @type {Map<string, Promise<void>>} */
const loads = new Map()

/**
 * Loads a script of the provider from the provider, once. A load that failed is tried again.
 * @param {string} src
 * @returns {Promise<void>}
 */
export function loadProviderScript(src) {
  const known = loads.get(src)
  if (known) return known
  const load = new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src })
    script.onload = () => resolve(undefined)
    script.onerror = () => {
      script.remove()
      loads.delete(src)
      reject(new TypeError(`railyard: ${src} was not loaded`))
    }
    document.head.append(script)
  })
  loads.set(src, load)
  return load
}

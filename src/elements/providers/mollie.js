/** @import { CardStyle } from '../loader/types.ts' */
/** @import { Adapter } from './types.ts' */
import { loadProviderScript, offerProvider } from './offer-provider.js'

/** The locale that Mollie has for a language. @type {Record<string, string>} */
const locales = {
  ca: 'ca_ES',
  da: 'da_DK',
  de: 'de_DE',
  en: 'en_US',
  es: 'es_ES',
  fi: 'fi_FI',
  fr: 'fr_FR',
  hu: 'hu_HU',
  is: 'is_IS',
  it: 'it_IT',
  lt: 'lt_LT',
  lv: 'lv_LV',
  nb: 'nb_NO',
  nl: 'nl_NL',
  pl: 'pl_PL',
  pt: 'pt_PT',
  sv: 'sv_SE',
}

/** @param {CardStyle} style */
const styleOf = ({ color, fontSize, placeholderColor, dangerColor }) => ({
  base: {
    ...(color && { color }),
    ...(fontSize && { fontSize }),
    ...(placeholderColor && { '::placeholder': { color: placeholderColor } }),
  },
  ...(dangerColor && { invalid: { color: dangerColor } }),
})

/** The card component of Mollie Components. @type {Adapter} */
async function mountMollie({ box, provider, style, locale = navigator.language, ...listeners }) {
  await loadProviderScript('https://js.mollie.com/v1/mollie.js')
  const { Mollie } = /** @type {any} */ (window)
  const known = locales[locale.split('-')[0] ?? '']
  const mollie = Mollie(provider.key, { ...(known && { locale: known }), testmode: !provider.isLive })
  const card = mollie.createComponent('card', { styles: styleOf(style) })
  card.addEventListener('change', (/** @type {any} */ { valid, dirty }) =>
    listeners.onChange({ complete: valid === true, isEmpty: dirty === false, brand: null, last4: null }),
  )
  card.addEventListener('focus', () => listeners.onFocus('number'))
  card.addEventListener('blur', () => listeners.onBlur('number'))
  card.mount(box)
  return {
    async createToken() {
      const { token, error } = await mollie.createToken()
      if (token) return { token }
      return { code: error?.field ? 'incomplete' : 'failed' }
    },
    // Mollie's component has none of these, and keeps what was entered when it is mounted again
    setStyle: () => undefined,
    clear: () => undefined,
    focus: () => undefined,
    remove: () => card.unmount(),
  }
}

offerProvider('mollie', mountMollie)

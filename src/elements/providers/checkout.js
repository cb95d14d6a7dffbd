/** @import { CardFieldName, CardStyle } from '../loader/types.ts' */
/** @import { Adapter } from './types.ts' */
import { loadProviderScript, offerProvider } from './offer-provider.js'

/** Checkout.com's names of schemes, as the API names them. @type {Record<string, string>} */
const schemes = {
  'american express': 'amex',
  'cartes bancaires': 'carte-bancaire',
  'diners club international': 'diners-club',
  discover: 'discover',
  jcb: 'jcb',
  maestro: 'maestro',
  mastercard: 'mastercard',
  visa: 'visa',
}
const schemeOf = (/** @type {unknown} */ name) => schemes[String(name ?? '').toLowerCase()]

/** The localization that Frames has for a language. @type {Record<string, string>} */
const localizations = {
  de: 'DE-DE',
  en: 'EN-GB',
  es: 'ES-ES',
  fr: 'FR-FR',
  it: 'IT-IT',
  ko: 'KR-KR',
  nl: 'NL-NL',
}

/** @type {Record<string, CardFieldName>} */
const fields = { 'card-number': 'number', 'expiry-date': 'expiry', cvv: 'code' }

/** @param {CardStyle} style */
const styleOf = ({ color, fontFamily, fontSize, placeholderColor, dangerColor }) => ({
  base: { ...(color && { color }), ...(fontFamily && { fontFamily }), ...(fontSize && { fontSize }) },
  ...(placeholderColor && { placeholder: { base: { color: placeholderColor } } }),
  ...(dangerColor && { invalid: { color: dangerColor } }),
})

/** Frames of Checkout.com, which shows one form in a page. @type {Adapter} */
async function mountCheckout({ box, provider, style, locale = navigator.language, ...listeners }) {
  await loadProviderScript('https://cdn.checkout.com/js/framesv2.min.js')
  const { Frames } = /** @type {any} */ (window)
  // the script looks for this class
  box.classList.add('card-frame')
  const localization = localizations[locale.split('-')[0] ?? '']
  /** @type {string | null} */
  let brand = null
  const handlers = {
    [Frames.Events.CARD_VALIDATION_CHANGED]: () =>
      listeners.onChange({ complete: Frames.isCardValid() === true, isEmpty: false, brand, last4: null }),
    [Frames.Events.PAYMENT_METHOD_CHANGED]: (/** @type {any} */ { paymentMethod }) => {
      brand = schemeOf(paymentMethod) ?? null
    },
    [Frames.Events.FRAME_FOCUS]: (/** @type {any} */ { element }) =>
      listeners.onFocus(fields[element] ?? 'number'),
    [Frames.Events.FRAME_BLUR]: (/** @type {any} */ { element }) =>
      listeners.onBlur(fields[element] ?? 'number'),
  }
  for (const [event, handler] of Object.entries(handlers)) Frames.addEventHandler(event, handler)
  const start = (/** @type {typeof style} */ current) =>
    Frames.init({
      publicKey: provider.key,
      style: styleOf(current),
      ...(localization && { localization }),
    })
  start(style)
  return {
    async createToken() {
      if (Frames.isCardValid() !== true) return { code: 'incomplete' }
      try {
        const { token, bin, last4, scheme, expiry_month, expiry_year } = await Frames.submitCard()
        return {
          token,
          bin,
          card_suffix: last4,
          card_scheme: schemeOf(scheme),
          expiration_date:
            expiry_month &&
            expiry_year &&
            `${String(expiry_month).padStart(2, '0')}/${String(expiry_year).slice(-2)}`,
        }
      } catch {
        return { code: 'refused' }
      } finally {
        // without it the form takes no second attempt
        Frames.enableSubmitForm()
      }
    },
    setStyle: start,
    clear: () => start(style),
    focus: () => undefined,
    remove() {
      for (const [event, handler] of Object.entries(handlers)) Frames.removeEventHandler?.(event, handler)
      box.replaceChildren()
    },
  }
}

offerProvider('checkout', mountCheckout)

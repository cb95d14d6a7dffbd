/** @import { CardStyle } from '../loader/types.ts' */
/** @import { Adapter } from './types.ts' */
import { loadProviderScript, offerProvider } from './offer-provider.js'

/** Stripe's names of schemes, as the API names them. @type {Record<string, string>} */
const schemes = {
  amex: 'amex',
  cartes_bancaires: 'carte-bancaire',
  diners: 'diners-club',
  discover: 'discover',
  eftpos_au: 'eftpos-australia',
  jcb: 'jcb',
  mastercard: 'mastercard',
  unionpay: 'unionpay',
  visa: 'visa',
}

/** @type {Record<string, 'incomplete' | 'refused' | 'offline'>} */
const errors = {
  validation_error: 'incomplete',
  card_error: 'refused',
  api_connection_error: 'offline',
}

/** @param {CardStyle} style */
const styleOf = ({ color, fontFamily, fontSize, placeholderColor, dangerColor }) => ({
  base: {
    ...(color && { color }),
    ...(fontFamily && { fontFamily }),
    ...(fontSize && { fontSize }),
    ...(placeholderColor && { '::placeholder': { color: placeholderColor } }),
  },
  ...(dangerColor && { invalid: { color: dangerColor } }),
})

/** The card element of Stripe.js. @type {Adapter} */
async function mountStripe({ box, provider, style, locale, postalCode, ...listeners }) {
  // always from this host, and never with a hash: Stripe changes it
  await loadProviderScript('https://js.stripe.com/endive/stripe.js')
  const { Stripe } = /** @type {any} */ (window)
  const stripe = Stripe(provider.key)
  const elements = stripe.elements(locale ? { locale } : {})
  const card = elements.create('card', { hidePostalCode: !postalCode, style: styleOf(style) })
  card.on('change', (/** @type {any} */ { complete, empty, brand }) =>
    listeners.onChange({ complete, isEmpty: empty, brand: schemes[brand] ?? null, last4: null }),
  )
  card.on('focus', () => listeners.onFocus('number'))
  card.on('blur', () => listeners.onBlur('number'))
  card.mount(box)
  return {
    async createToken() {
      const { paymentMethod, error } = await stripe.createPaymentMethod({ type: 'card', card })
      if (error) return { code: errors[error.type] ?? 'failed' }
      const { brand, last4, exp_month, exp_year } = paymentMethod.card ?? {}
      return {
        token: paymentMethod.id,
        card_suffix: last4,
        card_scheme: schemes[brand],
        expiration_date:
          exp_month && exp_year && `${String(exp_month).padStart(2, '0')}/${String(exp_year).slice(-2)}`,
      }
    },
    setStyle: (changed) => card.update({ style: styleOf(changed) }),
    clear: () => card.clear(),
    focus: () => card.focus(),
    remove: () => card.destroy(),
  }
}

offerProvider('stripe', mountStripe)

/** @import { CardFieldName, CardStyle } from '../loader/types.ts' */
/** @import { Adapter } from './types.ts' */
import { loadProviderScript, offerProvider } from './offer-provider.js'

/** Adyen's names of schemes, as the API names them. @type {Record<string, string>} */
const schemes = {
  amex: 'amex',
  bcmc: 'bancontact',
  cartebancaire: 'carte-bancaire',
  cup: 'unionpay',
  diners: 'diners-club',
  discover: 'discover',
  jcb: 'jcb',
  maestro: 'maestro',
  mc: 'mastercard',
  visa: 'visa',
}

/** @type {Record<string, CardFieldName>} */
const fields = { encryptedExpiryDate: 'expiry', encryptedSecurityCode: 'code' }

/** @param {CardStyle} style */
const styleOf = ({ color, fontFamily, fontSize, placeholderColor, dangerColor }) => ({
  base: { ...(color && { color }), ...(fontFamily && { fontFamily }), ...(fontSize && { fontSize }) },
  ...(placeholderColor && { placeholder: { color: placeholderColor } }),
  ...(dangerColor && { error: { color: dangerColor } }),
})

/** The card component of adyen-web. @type {Adapter} */
async function mountAdyen({ box, provider, style, locale = navigator.language, ...listeners }) {
  const environment = provider.isLive ? `live${provider.region ? `-${provider.region}` : ''}` : 'test'
  const files = `https://checkoutshopper-${environment}.cdn.adyen.com/checkoutshopper/sdk/6.45.2/adyen`
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${files}.css` })
  document.head.append(link)
  await loadProviderScript(`${files}.js`)
  const { AdyenCheckout, Card } = /** @type {any} */ (window).AdyenWeb
  const checkout = await AdyenCheckout({
    clientKey: provider.key,
    environment,
    ...(provider.country && { countryCode: provider.country }),
    locale,
    showPayButton: false,
  })

  /** @type {any} */
  let entered
  /** @type {string | undefined} */
  let brand
  /** @type {string | undefined} */
  let suffix
  const tell = () =>
    listeners.onChange({
      complete: entered?.isValid === true,
      isEmpty: !entered,
      brand: schemes[brand ?? ''] ?? null,
      last4: suffix ?? null,
    })
  const create = () =>
    new Card(checkout, {
      styles: styleOf(style),
      onChange(/** @type {any} */ state) {
        entered = state
        tell()
      },
      onBrand(/** @type {any} */ changed) {
        brand = changed.brand
        tell()
      },
      onFieldValid(/** @type {any} */ { fieldType, endDigits, valid }) {
        if (fieldType !== 'encryptedCardNumber') return
        suffix = valid ? endDigits : undefined
        tell()
      },
      onFocus(/** @type {any} */ { fieldType, focus }) {
        const field = fields[fieldType] ?? 'number'
        if (focus === false) listeners.onBlur(field)
        else listeners.onFocus(field)
      },
    }).mount(box)
  let card = create()
  return {
    async createToken() {
      if (entered?.isValid !== true) {
        card.showValidation()
        return { code: 'incomplete' }
      }
      return {
        token: entered.data.paymentMethod,
        card_suffix: suffix,
        card_scheme: schemes[entered.data.paymentMethod.brand ?? brand],
      }
    },
    // adyen-web has no update of styles: they apply from the next mount on
    setStyle: () => undefined,
    clear() {
      card.unmount()
      entered = brand = suffix = undefined
      card = create()
    },
    focus: () => card.focus?.(),
    remove() {
      card.unmount()
      link.remove()
    },
  }
}

offerProvider('adyen', mountAdyen)

/**
 * What the server puts into the document of a frame.
 * @typedef {'number' | 'expiry' | 'code' | 'postalCode'} FieldName
 * @typedef {object} FrameConfig
 * @property {'card' | 'field' | 'coordinator' | 'provider' | 'checkout' | 'challenge' | 'method' | 'returned'} view
 * @property {string} parent The origin of the page, which the server has checked.
 * @property {string} session The checkout session that gets the card.
 * @property {string} api The URL of the API.
 * @property {readonly FieldName[]} fields
 * @property {readonly import('./card-format.js').Scheme[]} schemes
 * @property {Record<string, string>} mistakes
 * @property {{ codeHint: string, codeHintAmex: string }} hints
 * @property {import('../providers/provider.ts').Provider | null} provider
 * @property {string | null} refusal
 * @property {import('../providers/provider.ts').ServedScript} [checkoutPart] Of a checkout only: what the page runs beside it.
 * @property {string} [to] Of the page behind the issuer's only: the merchant's page.
 * @property {{ url: string, data: string }} [method] Of the hidden frame for the 3DS method only.
 *
 * @typedef {FrameConfig & { checkout: CheckoutConfig }} CheckoutFrameConfig
 *
 * @typedef {object} CheckoutConfig
 * @property {string} returned Where the card's issuer sends the buyer back to.
 * @property {string} approvals The links of buyers' approvals begin with it.
 * @property {boolean} takesCards False: there is no card form for the session's payment service.
 * @property {boolean} runsThreeDSMethod A payment service may want the card's issuer to authenticate the buyer.
 * @property {boolean} takesGiftCards
 * @property {{ country: string | null } | null} applePay
 * @property {{ environment: string, merchantId: string | null, country: string | null } | null} googlePay
 * @property {Record<string, string>} schemeNames
 * @property {Record<string, number>} currencyDigits The digits of a currency's fraction (ISO 4217), if they are not two.
 * @property {Record<string, string>} advice By error code.
 * @property {import('../words/checkout-words.ts').CheckoutWords} words
 */

/** @returns {FrameConfig} */
export const readConfig = () => JSON.parse(document.body.dataset['config'] ?? '{}')

/**
 * Opens the connection to the page: one message with the nonce of the frame's URL, what the page shows or runs by
 * itself, and one end of a channel, to the origin that the server has checked. Everything else goes through the channel.
 * @param {FrameConfig} config
 * @param {(message: Record<string, unknown>) => void} receive
 * @returns {(message: object) => void} Sends to the page.
 */
export function connectPage({ parent: origin, provider, refusal, checkoutPart }, receive) {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => isMessage(data) && receive(data)
  const nonce = location.hash.slice(1)
  parent.postMessage({ railyard: 'ready', nonce, provider, refusal, checkoutPart }, origin, [port2])
  return (message) => port1.postMessage(message)
}

/** @param {unknown} data @returns {data is Record<string, unknown>} */
export const isMessage = (data) => typeof data === 'object' && data !== null && !Array.isArray(data)

/** @param {unknown} value @param {number} most */
export const shortText = (value, most) => (typeof value === 'string' && value.length <= most ? value : null)

/** Tells the page how high the frame's content is. @param {(message: object) => void} tellPage */
export function reportHeight(tellPage) {
  const root = document.documentElement
  const tell = () =>
    tellPage({ kind: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) })
  new ResizeObserver(tell).observe(root)
  new ResizeObserver(tell).observe(document.body)
}

/** The CSS property by which a value is checked, by the name of a style. The name is that of the variable, too. */
const styleProperties = {
  color: 'color',
  background: 'background-color',
  borderColor: 'border-color',
  borderRadius: 'border-radius',
  borderWidth: 'border-width',
  accentColor: 'color',
  dangerColor: 'color',
  placeholderColor: 'color',
  labelColor: 'color',
  fontFamily: 'font-family',
  fontSize: 'font-size',
  padding: 'padding',
  gap: 'gap',
}

/**
 * Sets the styles that a page may set. Values that are no value of the property, or that could load something or
 * read something of the document, are left out.
 * @param {unknown} style
 */
export function applyStyle(style) {
  if (!isMessage(style)) return
  for (const [name, property] of Object.entries(styleProperties)) {
    const value = shortText(Object.hasOwn(style, name) ? style[name] : null, 100)
    if (value === null || /url|image|var|env|attr|expression|[{};\\]/i.test(value)) continue
    if (CSS.supports(property, value)) document.documentElement.style.setProperty(`--${name}`, value)
  }
  const labels = Object.hasOwn(style, 'labels') ? style['labels'] : null
  if (labels === 'above' || labels === 'hidden') document.body.dataset['labels'] = labels
}

/** A frame of the page by its name. Only a frame of this origin gets what is sent to it. @param {string} name @returns {Window | undefined} */
export const siblingFrame = (name) => Reflect.get(parent.frames, name)

/** The name of the frame that belongs to this one: the page has put it into the fragment of the URL. */
export const groupFrameName = () => `railyard-${shortText(location.hash.split('.')[1], 64)}`

import { prepareApplePay } from './apple-pay.js'
import { enterCard, showCard } from './card.js'
import { prepareGooglePay } from './google-pay.js'
import { ask, follow, pathname, showNotice, Trouble, waitForOutcome, words } from './payment.js'

/** @type {HTMLFormElement | null} */
const form = document.querySelector('#pay')

/** @type {HTMLButtonElement | null} */
const submit = document.querySelector('#submit')

/** The buttons of wallets. */
const wallets = document.querySelector('#wallets')

const chosen = () => String(form && new FormData(form).get('option'))

/** @param {boolean} isPaying */
function setPaying(isPaying) {
  form?.toggleAttribute('aria-busy', isPaying)
  wallets?.toggleAttribute('inert', isPaying)
  if (!submit) return
  submit.disabled = isPaying
  submit.textContent = isPaying ? words.paying : labelOf(chosen())
}

/** @param {string} option */
const labelOf = (option) =>
  document.querySelector(`[data-option="${CSS.escape(option)}"]`)?.getAttribute('data-label') ?? ''

/** The payment method, as `POST …/payments` takes it; undefined: a field of the card is missing. @param {string} option */
async function methodOf(option) {
  if (option === 'card') return enterCard(() => void pay())
  return option.startsWith('stored:')
    ? { payment_method_id: option.slice('stored:'.length) }
    : { method: option }
}

let isPaying = false

const pay = () => payWith(() => methodOf(chosen()))

/**
 * Pays with the method that `readMethod` answers, unless it answers undefined, and follows the outcome. True: the
 * buyer stays on the form.
 * @param {() => Promise<object | undefined>} readMethod
 */
async function payWith(readMethod) {
  // ignores a second click
  if (isPaying) return true
  showNotice(null)
  isPaying = true
  setPaying(true)
  const stays = await sendPayment(readMethod).catch(handleTrouble)
  isPaying = !stays
  setPaying(isPaying)
  return stays
}

/** @param {() => Promise<object | undefined>} readMethod */
async function sendPayment(readMethod) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const method = await readMethod()
  if (!method) return true
  return follow(await ask('/payments', { ...method, browser_info: browser() }, key))
}

/**
 * Says why there was no payment, or follows the link's state if that has changed. True: the buyer stays on the
 * form.
 * @param {unknown} error
 */
async function handleTrouble(error) {
  const trouble = error instanceof Trouble ? error.kind : 'failed'
  if (trouble === 'offline') showNotice(words.troubles.offline)
  // the link may have been paid: from another tab, or by the request whose answer was lost
  const now = trouble === 'offline' ? await waitForOutcome() : await ask('/status').catch(() => undefined)
  if (now && now.state !== 'open' && (now.state !== 'declined' || trouble === 'offline')) return follow(now)
  if (trouble === 'details') showNotice(words.declined.details, words.declined.title)
  else showNotice(words.troubles[trouble === 'offline' ? 'failed' : trouble])
  return true
}

/** The browser's data for the card's issuer (EMV 3DS 2.x, §A.5.1). */
const browser = () => ({
  javascript_enabled: true,
  java_enabled: false,
  language: navigator.language,
  color_depth: screen.colorDepth,
  screen_height: screen.height,
  screen_width: screen.width,
  time_zone_offset: new Date().getTimezoneOffset(),
  user_agent: navigator.userAgent,
  user_device: matchMedia('(hover: none) and (pointer: coarse)').matches ? 'mobile' : 'desktop',
})

function prepareForm() {
  showCard(() => void pay())
  /** @param {object} method */
  const payByWallet = (method) => payWith(async () => method)
  prepareApplePay(payByWallet, handleTrouble)
  void prepareGooglePay(payByWallet, handleTrouble)
  form?.addEventListener('change', () => isPaying || setPaying(false))
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    void pay()
  })
  setPaying(false)
  const notice = document.querySelector('#notice')
  if (notice instanceof HTMLElement && !notice.hidden) notice.focus()
}

function prepareApproval() {
  const otherWay = document.querySelector('#other-way')
  otherWay?.addEventListener('click', async () => {
    otherWay.toggleAttribute('disabled', true)
    await ask('/abandon', {}).catch(() => undefined)
    location.replace(pathname)
  })
}

function prepareReceipt() {
  const time = document.querySelector('.receipt time')
  if (time instanceof HTMLTimeElement)
    time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
      dateStyle: 'long',
      timeStyle: 'long',
    }).format(new Date(time.dateTime))
  document.querySelector('#print')?.addEventListener('click', () => print())
}

/** What the script does on the page of each state. @type {Record<string, () => unknown>} */
const startOfPage = {
  open: prepareForm,
  approval: prepareApproval,
  completed: prepareReceipt,
  processing: async () => follow(await waitForOutcome()),
}

// a page from the browser's back/forward cache may be out of date
addEventListener('pageshow', (event) => event.persisted && location.reload())
// reloading the page must not show the last attempt again
if (location.search) history.replaceState(null, '', pathname)
startOfPage[document.body.dataset['state'] ?? '']?.()
document.body.dataset['ready'] = 'true'

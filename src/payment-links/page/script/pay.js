import { enterCard, mistakesOfCard, prepareCard } from './card-form.js'
import { ask, follow, pathname, say, Trouble, watch, words } from './payment.js'

/** @type {HTMLFormElement | null} */
const form = document.querySelector('#pay')

/** @type {HTMLButtonElement | null} */
const submit = document.querySelector('#submit')

const chosen = () => String(form && new FormData(form).get('option'))

/** @param {boolean} isPaying */
function setPaying(isPaying) {
  form?.toggleAttribute('aria-busy', isPaying)
  if (!submit) return
  submit.disabled = isPaying
  submit.textContent = isPaying ? words.paying : labelOf(chosen())
}

/** @param {string} option */
const labelOf = (option) => document.querySelector(`[data-option="${CSS.escape(option)}"]`)?.getAttribute('data-label') ?? ''

/** What pays, as the payment is asked for it. @param {string} option */
async function whatPays(option) {
  if (option === 'card') return enterCard()
  return option.startsWith('stored:') ? { payment_method_id: option.slice('stored:'.length) } : { method: option }
}

let isPaying = false

async function pay() {
  // a second click while the first is under way
  if (isPaying) return
  say(null)
  const option = chosen()
  if (option === 'card' && mistakesOfCard()) return
  isPaying = true
  setPaying(true)
  const stays = await sendPayment(option)
  isPaying = !stays
  setPaying(isPaying)
}

/** True: the buyer stays on the form. @param {string} option */
async function sendPayment(option) {
  try {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
    return follow(await ask('/payments', { ...(await whatPays(option)), browser_info: browser() }, key))
  } catch (error) {
    const trouble = error instanceof Trouble ? error.kind : 'failed'
    if (trouble === 'offline') say(words.troubles.offline)
    // whether it was paid meanwhile, in another tab or without an answer, is known there
    const now = trouble === 'offline' ? await watch() : await ask('/status').catch(() => undefined)
    if (now && now.state !== 'open' && (now.state !== 'declined' || trouble === 'offline')) return follow(now)
    if (trouble === 'details') say(words.declined.details, words.declined.title)
    else say(words.troubles[trouble === 'offline' ? 'failed' : trouble])
    return true
  }
}

/** What a card's issuer asks about the browser (EMV 3DS 2.x, §A.5.1). */
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
  prepareCard()
  form?.addEventListener('change', () => isPaying || setPaying(false))
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    void pay()
  })
  setPaying(false)
  const told = document.querySelector('#told')
  if (told instanceof HTMLElement && !told.hidden) told.focus()
}

function prepareApproval() {
  const otherWay = document.querySelector('#other-way')
  otherWay?.addEventListener('click', async () => {
    otherWay.toggleAttribute('disabled', true)
    await ask('/abandon', {}).catch(() => undefined)
    location.replace(pathname)
  })
}

/** What each page does once it is shown. @type {Record<string, () => unknown>} */
const beginnings = {
  open: prepareForm,
  approval: prepareApproval,
  processing: async () => follow(await watch()),
}

// what the browser has kept of the page may be long over
addEventListener('pageshow', (event) => event.persisted && location.reload())
// so that loading the page again does not tell of the last attempt again
if (location.search) history.replaceState(null, '', pathname)
beginnings[document.body.dataset['state'] ?? '']?.()
document.body.dataset['ready'] = 'true'

import { RailyardElementsError } from '../../../elements/loader/error.js'
import { loadRailyard } from '../../../elements/loader/load-railyard.js'
import { ask, showNotice, Trouble, words } from './payment.js'

/** @type {HTMLInputElement | null} */
const nameField = document.querySelector('input#name')

/**
 * The card's fields, and the elements that they belong to.
 * @typedef {{ card: import('../../../elements/loader/types.ts').CardElement, elements: import('../../../elements/loader/types.ts').RailyardElements }} ShownCard
 */

/** Undefined: the page has no card form. @type {Promise<ShownCard> | undefined} */
let shownCard

let isCardComplete = false

/**
 * Shows the card's fields, in a frame whose document a session of this link opens.
 * @param {() => void} pay
 */
export function showCard(pay) {
  if (!document.querySelector('#card')) return
  nameField?.addEventListener('blur', () => nameField.value !== '' && markName())
  nameField?.addEventListener('input', () => nameField.getAttribute('aria-invalid') && markName())
  shownCard = openCard(pay)
  shownCard.catch((error) => showNotice(words.troubles[error instanceof Trouble ? error.kind : 'failed']))
}

/** @param {() => void} pay @returns {Promise<ShownCard>} */
async function openCard(pay) {
  const session = await ask('/sessions', {})
  const elements = await loadRailyard({
    origin: document.body.dataset['elements'] ?? '',
    session: session.id,
  })
  const card = elements.card({ style: styleOfPage(), locale: words.lang })
  card.on('change', ({ complete }) => {
    isCardComplete = complete
  })
  card.on('submit', pay)
  card.on('error', () => showNotice(words.troubles.failed))
  // the page's colours follow the buyer's device
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    card.update({ style: styleOfPage() }),
  )
  card.mount('#card')
  return { card, elements }
}

/** The colours of the page, for the frame. */
function styleOfPage() {
  const page = getComputedStyle(document.documentElement)
  const color = (/** @type {string} */ name) => page.getPropertyValue(`--${name}`).trim()
  return {
    color: color('ink'),
    background: color('card'),
    borderColor: color('edge'),
    accentColor: color('accent'),
    dangerColor: color('bad'),
    placeholderColor: color('soft'),
    labelColor: color('ink'),
  }
}

/** Shows whether the name is missing. True: it is. */
function markName() {
  const isMissing = nameField !== null && nameField.value.trim() === ''
  if (isMissing) nameField.setAttribute('aria-invalid', 'true')
  else nameField?.removeAttribute('aria-invalid')
  const line = document.querySelector('#name-mistake')
  if (line instanceof HTMLElement) {
    line.textContent = isMissing ? words.nameMissing : ''
    line.hidden = !isMissing
  }
  return isMissing
}

/**
 * Puts the card into a checkout session of this attempt, and answers that session: the payment request does not
 * contain the card. Undefined: a field is missing, and says so. Throws `Trouble`.
 * @param {() => void} pay
 */
export async function enterCard(pay) {
  const isNameMissing = markName()
  // the fields could not be shown when the page was opened
  shownCard = shownCard?.catch(() => openCard(pay))
  const { card, elements } = (await shownCard) ?? {}
  if (!card || !elements) throw new Trouble('failed')
  if (isCardComplete && isNameMissing) {
    nameField?.focus()
    return undefined
  }
  // an incomplete card is sent nowhere: its fields say what is missing
  const session = isCardComplete
    ? await ask('/sessions', { ...(nameField && { name: nameField.value.trim() }) })
    : undefined
  if (session) elements.useSession(session.id)
  try {
    await card.submit()
  } catch (error) {
    const code = error instanceof RailyardElementsError ? error.code : 'failed'
    if (code === 'incomplete') return undefined
    throw new Trouble(troubles.get(code) ?? 'failed')
  }
  return session && { checkout_session_id: session.id, proof: session.proof }
}

/** @type {ReadonlyMap<string, Trouble['kind']>} */
const troubles = new Map([
  ['offline', 'offline'],
  ['too_many_requests', 'tooMany'],
  ['refused', 'details'],
])

import { RailyardElementsError } from '../../../elements/loader/error.js'
import { loadRailyard } from '../../../elements/loader/load-railyard.js'
import { ask, showNotice, Trouble, words } from './payment.js'

/**
 * The session of this link that gets a card, and the proof that it is this link's.
 * @typedef {{ id: string, proof: string }} CardSession
 */

/** @returns {Promise<CardSession>} */
const openSession = () => ask('/sessions', {})

/** @type {ReturnType<typeof mountCard> | undefined} */
let mounted

/**
 * Shows the fields of a card, in a frame of Railyard's card fields, unless they are there. Throws `Trouble`.
 * @param {() => void} onEnter Called when the buyer presses Enter in a field.
 */
export function showCard(onEnter) {
  mounted ??= mountCard(onEnter).catch((error) => {
    mounted = undefined
    throw error
  })
  return mounted
}

/** @param {() => void} onEnter */
async function mountCard(onEnter) {
  const session = await openSession()
  const elements = await loadRailyard({
    origin: document.body.dataset['elements'] ?? '',
    session: session.id,
  })
  const element = elements.card({
    locale: document.documentElement.lang,
    title: words.cardTitle,
    style: pageStyle(),
  })
  const form = {
    element,
    elements,
    /** The session for the next attempt; undefined: it is to be opened. @type {CardSession | undefined} */
    session,
    /** What the buyer has entered. @type {import('../../../../packages/elements/src/messages.ts').CardChange | undefined} */
    entered: undefined,
  }
  element.on('change', (change) => {
    form.entered = change
  })
  element.on('submit', onEnter)
  element.on('error', () => {
    element.unmount()
    mounted = undefined
    showNotice(words.troubles.failed)
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    element.update({ style: pageStyle() }),
  )
  element.mount('#card')
  return form
}

/** The look of the page's own field and texts, in the buyer's colour scheme. */
function pageStyle() {
  const style = getComputedStyle(document.documentElement)
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim()
  return {
    color: colour('ink'),
    labelColor: colour('ink'),
    background: colour('card'),
    borderColor: colour('edge'),
    placeholderColor: colour('soft'),
    accentColor: colour('accent'),
    dangerColor: colour('bad'),
    padding: '14px',
  }
}

/** The name on the card, where the page asks for it. @returns {HTMLInputElement | null} */
const nameField = () => document.querySelector('input#name')

export function prepareName() {
  const field = nameField()
  // a mistake that is shown disappears as soon as it is corrected
  field?.addEventListener('input', () => field.getAttribute('aria-invalid') && checkName())
}

/** Shows whether the name is missing. True: it is there, or the page does not ask for it. */
function checkName() {
  const field = nameField()
  const line = document.querySelector('#name-mistake')
  if (!field || !(line instanceof HTMLElement)) return true
  const isMissing = field.value.trim() === ''
  line.textContent = isMissing ? words.nameMissing : ''
  line.hidden = !isMissing
  if (isMissing) field.setAttribute('aria-invalid', 'true')
  else field.removeAttribute('aria-invalid')
  return !isMissing
}

/** What went wrong, by the error of the card fields. @type {Partial<Record<string, Trouble['kind']>>} */
const troubleByCode = {
  incomplete: 'incomplete',
  refused: 'details',
  too_many_requests: 'tooMany',
  offline: 'offline',
}

/**
 * Puts the card into a session of this link, and answers what pays with it: no request of this page contains the
 * card. Throws `Trouble`; `incomplete` if a field is missing or wrong, which the form shows.
 * @param {() => void} onEnter
 */
export async function enterCard(onEnter) {
  const form = await showCard(onEnter)
  const hasName = checkName()
  if (!hasName && form.entered?.complete) {
    nameField()?.focus()
    throw new Trouble('incomplete')
  }
  const { id, proof } = await submitCard(form)
  if (!hasName) throw new Trouble('incomplete')
  const name = nameField()?.value.trim()
  return { checkout_session_id: id, proof, ...(name && { name }) }
}

/** @param {Awaited<ReturnType<typeof mountCard>>} form @returns {Promise<CardSession>} */
async function submitCard(form) {
  const session = form.session ?? (await openSession())
  form.session = session
  form.elements.useSession(session.id)
  try {
    await form.element.submit()
  } catch (error) {
    const code = error instanceof RailyardElementsError ? error.code : 'failed'
    if (code === 'session_expired') {
      form.session = undefined
      return submitCard(form)
    }
    if (code === 'incomplete') form.element.focus(firstWrongField(form.entered))
    throw new Trouble(troubleByCode[code] ?? 'failed')
  }
  // each attempt has a session of its own
  form.session = undefined
  return session
}

/** @param {import('../../../../packages/elements/src/messages.ts').CardChange | undefined} entered */
const firstWrongField = (entered) =>
  /** @type {const} */ (['number', 'expiry', 'code']).find((name) => !entered?.fields[name]?.valid)

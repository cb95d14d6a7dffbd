/**
 * The state of the link (`ScriptLinkState` of `link-state.ts`).
 * @typedef {{ state: 'open' | 'processing' | 'expired' | 'exhausted' }
 *   | { state: 'declined', advice: string }
 *   | { state: 'approval', next: string }
 *   | { state: 'completed', next: string | null }} State
 */

export const pathname = location.pathname.replace(/\/$/, '')
export const words = JSON.parse(document.body.dataset['words'] ?? '{}')

/** Why there was no payment: a request failed, or the card is incomplete, which its form shows. */
export class Trouble extends Error {
  /** @param {'offline' | 'tooMany' | 'failed' | 'details' | 'incomplete'} kind */
  constructor(kind) {
    super(kind)
    this.kind = kind
  }
}

const pause = (/** @type {number} */ seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** The pauses between attempts, in seconds. */
const retryPauses = [1, 2, 4]

/**
 * Sends a request about this link. With an idempotency key it is retried. Throws `Trouble`.
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 */
export async function ask(path, body, key) {
  for (const seconds of key ? [...retryPauses, 0] : [0]) {
    const answer = await send(`${pathname}${path}`, body ? 'POST' : 'GET', body, key)
    if (answer?.ok) return answer.json()
    if (answer?.status === 429) throw new Trouble('tooMany')
    if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 425)
      throw new Trouble('failed')
    if (seconds > 0) await pause(seconds)
  }
  throw new Trouble('offline')
}

/**
 * Sends one request. Undefined: there was no answer.
 * @param {string} url
 * @param {string} method
 * @param {object} [body]
 * @param {string} [key]
 */
export const send = (url, method, body, key) =>
  fetch(url, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key && { 'idempotency-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => undefined)

/** Asks for the status until the outcome is known, less often the longer it takes. @returns {Promise<State>} */
export async function waitForOutcome() {
  for (let seconds = 1; ; seconds = Math.min(seconds * 1.5, 6)) {
    await pause(seconds)
    /** @type {State | undefined} */
    const state = await ask('/status').catch(() => undefined)
    if (state && state.state !== 'processing') return state
  }
}

/** Sends the buyer to the page of this state. True: the buyer stays on the form. @param {State} state */
export function follow(state) {
  const isAtForm = document.body.dataset['state'] === 'open'
  if (state.state === 'approval') location.assign(state.next)
  else if (state.state === 'completed' && state.next !== null) location.replace(state.next)
  else if (isAtForm && state.state === 'declined')
    showNotice(words.declined[state.advice], words.declined.title)
  else if (isAtForm && state.state === 'open') return true
  else if (state.state === 'declined') location.replace(`${pathname}?declined=${state.advice}`)
  else location.replace(pathname)
  return isAtForm && state.state === 'declined'
}

/**
 * Shows a notice above the form; null hides it.
 * @param {string | null} text
 * @param {string} [title]
 */
export function showNotice(text, title) {
  const notice = document.querySelector('#notice')
  if (!(notice instanceof HTMLElement)) return
  notice.replaceChildren()
  notice.hidden = text === null
  if (text === null) return
  if (title) notice.append(Object.assign(document.createElement('strong'), { textContent: title }))
  notice.append(Object.assign(document.createElement('span'), { textContent: text }))
  notice.focus()
}

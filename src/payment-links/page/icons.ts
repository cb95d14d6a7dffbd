import { type Html, html } from '../../page/html.ts'

/**
 * Drawn inline, since the page loads no files besides the merchant's pictures. Hidden from screen readers:
 * the text beside an icon says the same.
 */
const icon = (paths: Html): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`

const card = icon(html`<rect x="2.5" y="5" width="19" height="14" rx="2.5"/><path d="M2.5 10h19M6 15h3"/>`)
const wallet = icon(
  html`<path d="M18 7.5V6a2 2 0 0 0-2-2H5.5a2.5 2.5 0 0 0 0 5H19a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5.5A2.5 2.5 0 0 1 3 17.5V6.5"/><path d="M17 14.5h.01"/>`,
)
const later = icon(html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>`)
const leavesPage = icon(
  html`<path d="M14 4h6v6M20 4l-9 9M18 14v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h4"/>`,
)

const iconByMethod: Readonly<Record<string, Html>> = { card, wallet, bnpl: later }

/** The icon of a payment method. Methods without one of their own lead to another page. */
export const methodIcon = (method: string): Html => iconByMethod[method] ?? leavesPage

export const lock = icon(
  html`<rect x="4.5" y="10.5" width="15" height="10" rx="2.5"/><path d="M8 10.5V7.5a4 4 0 0 1 8 0v3"/>`,
)

/** The icons of pages without a form. */
export const statusIcons = {
  good: icon(html`<circle cx="12" cy="12" r="9.5"/><path d="m7.5 12.5 3 3 6-6.5"/>`),
  bad: icon(html`<circle cx="12" cy="12" r="9.5"/><path d="M12 7v6M12 16.5h.01"/>`),
  waiting: icon(html`<circle cx="12" cy="12" r="9.5"/><path d="M12 6.5V12l3.5 2"/>`),
  busy: html`<span class="spinner" aria-hidden="true"></span>`,
}

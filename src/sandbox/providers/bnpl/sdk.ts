/**
 * The buy-now-pay-later provider's browser script. It asks the buyer in a dialog on the merchant's page and
 * gives the page an authorization token: for a session that the merchant's server opened (`init`, `load`,
 * `authorize`), or for an order without one (`Buttons`).
 */
export const sdk = `(() => {
  const source = new URL(document.currentScript.src)
  let clientToken = null

  const style = new CSSStyleSheet()
  style.replaceSync(\`
    :host { --ink: #16181d; --paper: #fff; --accent: #8c1d5f; --on-accent: #fff; --edge: #7a828e; color-scheme: light dark }
    @media (prefers-color-scheme: dark) { :host { --ink: #eef0f3; --paper: #1b1e24; --accent: #ffb0d8; --on-accent: #571038; --edge: #818a97 } }
    * { box-sizing: border-box; font: 1rem/1.5 system-ui, sans-serif }
    dialog { width: min(26rem, calc(100vw - 2rem)); padding: 1.5rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .875rem }
    dialog::backdrop { background: rgb(0 0 0 / .5) }
    h2 { margin: 0; font-size: 1.375rem; font-weight: 650 }
    p { margin: 0 0 1rem }
    .amount { font-size: 2rem; font-weight: 700 }
    button { display: block; width: 100%; min-height: 3rem; margin-top: .625rem; padding: .6875rem 1.25rem; border: 1px solid var(--edge); border-radius: 1.5rem;
      font-weight: 600; color: var(--ink); background: transparent; cursor: pointer }
    button.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
    button:disabled { cursor: progress; opacity: 1; background: var(--edge); color: var(--paper) }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    small { font-size: .8125rem }
  \`)

  function element(name, text, more = {}) {
    return Object.assign(document.createElement(name), { textContent: text, ...more })
  }

  function rootOf(target) {
    const container = typeof target === 'string' ? document.querySelector(target) : target
    const root = container.shadowRoot ?? container.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [style]
    return root
  }

  function price({ order_amount, purchase_currency }) {
    const format = new Intl.NumberFormat(document.documentElement.lang || 'en', { style: 'currency', currency: purchase_currency })
    return format.format(order_amount / 10 ** format.resolvedOptions().maximumFractionDigits)
  }

  /** Asks the buyer: true, false, or null where they close the dialog without an answer. */
  function ask(order) {
    return new Promise((resolve) => {
      const host = document.body.appendChild(element('div'))
      const dialog = element('dialog')
      const heading = element('h2', 'Buy now, pay later', { id: 'heading' })
      dialog.setAttribute('aria-labelledby', 'heading')
      const answer = (text, value, look = '') => {
        const button = element('button', text, { type: 'button', className: look })
        button.addEventListener('click', () => dialog.close(value))
        return button
      }
      dialog.append(
        element('small', 'Sandbox: no money moves.'),
        heading,
        ...(order?.purchase_currency ? [element('p', price(order), { className: 'amount' })] : []),
        element('p', 'Get your order now and pay for it within 30 days.'),
        answer('Buy now, pay later', 'yes', 'primary'),
        answer('Decline: be refused', 'no'),
        answer('Cancel', ''),
      )
      dialog.addEventListener('close', () => {
        host.remove()
        resolve(dialog.returnValue === '' ? null : dialog.returnValue === 'yes')
      })
      rootOf(host).append(dialog)
      dialog.showModal()
    })
  }

  async function post(path, body) {
    const answer = await fetch(new URL(path, source), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const read = await answer.json()
    if (!answer.ok) throw new Error(read.error_messages?.join(', ') ?? 'The provider cannot be reached')
    return read
  }

  /** What the merchant's page is told: whether the buyer was approved, and if not, whether asking again makes sense. */
  async function decide(order, path, body, callback) {
    const approved = await ask(order)
    if (approved === null) return callback({ approved: false, show_form: true })
    try {
      callback({ show_form: approved, ...(await post(path, { ...body, approved })) })
    } catch (error) {
      callback({ approved: false, show_form: true, error: { message: error.message } })
    }
  }

  window.bnpl = {
    init: ({ client_token }) => {
      clientToken = client_token
    },
    load: ({ container }, callback = () => undefined) => {
      rootOf(container).replaceChildren(element('p', 'Get your order now and pay for it within 30 days.'))
      callback({ show_form: true })
    },
    /** \`data\` is what the buyer has changed since the session was opened; what it says is shown. */
    authorize: (_options, data, callback) => {
      if (clientToken === null) throw new Error('bnpl.init comes first')
      return decide(data, 'sdk/sessions/' + encodeURIComponent(clientToken) + '/authorize', {}, callback)
    },
    Buttons: {
      init: ({ client_id }) => ({
        load: ({ container, on_click }) => {
          const button = element('button', 'Express: pay later', { type: 'button', className: 'primary' })
          button.addEventListener('click', () => on_click((order, callback) => decide(order, 'sdk/express', { client_id, ...order }, callback)))
          rootOf(container).replaceChildren(button)
        },
      }),
    },
  }
})()
`

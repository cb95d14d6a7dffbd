/**
 * The wallet's browser script. A merchant's page loads it with its client id and shows the wallet's button;
 * the buyer approves in a new window. The script takes all its URLs from the one that it was loaded from.
 */
export const sdk = `(() => {
  const source = new URL(document.currentScript.src)
  const clientId = source.searchParams.get('client-id')
  const at = (path) => new URL(path, source)

  const style = new CSSStyleSheet()
  style.replaceSync(\`
    button { display: block; width: 100%; min-height: 3rem; padding: .6875rem 1.25rem; border: 0; border-radius: 1.5rem; cursor: pointer;
      font: 600 1rem/1.5 system-ui, sans-serif; color: #fff; background: #0b51c1 }
    button:hover { background: #08409b }
    button:focus-visible { outline: 3px solid #0b51c1; outline-offset: 2px }
    button:disabled { cursor: progress; background: #4a5a78 }
  \`)

  /** The order must be one of the client that this script was loaded for. */
  async function checkHandoff(order) {
    const answer = await fetch(at('sdk/orders/' + encodeURIComponent(order) + '?client-id=' + encodeURIComponent(clientId ?? '')))
    if (!answer.ok) throw new Error((await answer.json()).message)
  }

  /** What the buyer did in the window: approved, declined, cancelled or expired. Closing it is cancelling. */
  function decision(popup, order) {
    return new Promise((resolve) => {
      const hear = ({ source: from, origin, data }) => {
        if (from !== popup || origin !== source.origin || data?.from !== 'railyard-sandbox' || data.order !== order) return
        end(data.result)
      }
      const watch = setInterval(() => popup.closed && end('cancelled'), 250)
      const end = (result) => {
        clearInterval(watch)
        removeEventListener('message', hear)
        popup.close()
        resolve(result)
      }
      addEventListener('message', hear)
    })
  }

  async function pay({ createOrder, onApprove, onCancel, onError }) {
    // opened at once: a browser allows no window that comes later than the click
    const popup = open('', '_blank', 'popup,width=480,height=800')
    try {
      if (!popup) throw new Error('The browser allows no window to pay in')
      const order = await createOrder()
      await checkHandoff(order)
      popup.location.href = at('checkout/' + encodeURIComponent(order) + '?popup=' + encodeURIComponent(location.origin)).href
      const result = await decision(popup, order)
      await (result === 'approved' || result === 'declined' ? onApprove?.({ orderID: order }) : onCancel?.({ orderID: order }))
    } catch (error) {
      popup?.close()
      if (!onError) throw error
      onError(error)
    }
  }

  function Buttons(handlers) {
    return {
      render(target) {
        const container = typeof target === 'string' ? document.querySelector(target) : target
        const root = container.shadowRoot ?? container.attachShadow({ mode: 'open' })
        root.adoptedStyleSheets = [style]
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = 'Pay with Wallet'
        button.addEventListener('click', async () => {
          button.disabled = true
          await pay(handlers).finally(() => (button.disabled = false))
        })
        root.replaceChildren(button)
      },
    }
  }

  window.wallet = { Buttons }
})()
`

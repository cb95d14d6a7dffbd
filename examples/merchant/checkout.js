const { wallet: walletService, bnpl: bnplService, express } = await (await fetch('/shop.json')).json()

const say = (text) => {
  document.querySelector('#message').textContent = text
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const read = await answer.json()
  if (!answer.ok) throw new Error(read.message)
  return read
}

const load = (src) =>
  new Promise((resolve, reject) => {
    document.head.append(
      Object.assign(document.createElement('script'), {
        src,
        onload: resolve,
        onerror: () => reject(new Error(`${src} cannot be loaded`)),
      }),
    )
  })

/** A payment that this page shows the provider for: its transaction, and what the provider's script needs. */
async function begin(method, choices) {
  const payment = await post('/pay/page', { method, client: 'web', ...choices })
  if (payment.status !== 'buyer_approval_pending') throw new Error(`The payment is ${payment.status}`)
  // the session token opens this one payment, and needs no other credential: the browser may ask Railyard itself
  const answer = await fetch(`${payment.session}?token=${encodeURIComponent(payment.session_token)}`, {
    method: 'POST',
  })
  const { session_data, message } = await answer.json()
  if (!answer.ok) throw new Error(message)
  return { ...payment, session: session_data }
}

/** Our server tells Railyard to go on, and reads what became of it. Only what it reads counts. */
async function complete(id, authorization_token) {
  await post('/complete', { id, authorization_token })
  location.href = `/return?svc_transaction_id=${id}`
}

const failed = (error) => say(`Paying did not work: ${error.message}`)

// Wallet: no transaction exists until the buyer clicks

async function showWallet() {
  await load(`${walletService.script}?client-id=${encodeURIComponent(walletService.clientId)}`)
  const choices = () => Object.fromEntries(new FormData(document.querySelector('#wallet-form')))
  let payment
  window.wallet
    .Buttons({
      async createOrder() {
        say('')
        payment = await begin('wallet', choices())
        return payment.session.orderId
      },
      async onApprove() {
        if (choices().user_action === 'PAY_NOW') return complete(payment.id)
        document.querySelector('#review').hidden = false
        document.querySelector('#place-order').onclick = () => complete(payment.id).catch(failed)
      },
      onCancel: () => say('You left the wallet without paying.'),
      onError: failed,
    })
    .render('#wallet-button')
}

// Pay later: the payment is opened when the buyer asks for it, so that its session is that of the cart as it is now

async function showPayLater() {
  await load(bnplService.script)
  window.bnpl.load({ container: '#bnpl-widget' })
  document.querySelector('#bnpl-pay').addEventListener('click', async () => {
    try {
      say('')
      const { id, session } = await begin('bnpl', {})
      window.bnpl.init({ client_token: session.client_token })
      const data = { purchase_currency: session.purchase_currency, order_amount: session.amount }
      window.bnpl.authorize({}, data, ({ approved, authorization_token, error }) => {
        if (approved) return complete(id, authorization_token).catch(failed)
        say(
          error
            ? `Paying did not work: ${error.message}`
            : 'Pay later was not approved. You can choose another way to pay.',
        )
      })
    } catch (error) {
      failed(error)
    }
  })
  window.bnpl.Buttons.init({ client_id: bnplService.clientId }).load({
    container: '#bnpl-express',
    on_click: (authorize) =>
      authorize(express, async ({ approved, authorization_token, error }) => {
        try {
          if (!approved)
            return say(
              error
                ? `Paying did not work: ${error.message}`
                : 'Pay later was not approved. You can choose another way to pay.',
            )
          // the token makes the payment in one step: nobody is asked again
          const { id } = await post('/pay/page', { method: 'bnpl', authorization_token })
          location.href = `/return?svc_transaction_id=${id}`
        } catch (problem) {
          failed(problem)
        }
      }),
  })
}

await Promise.all([showWallet().catch(failed), showPayLater().catch(failed)])
document.body.dataset.ready = 'true'

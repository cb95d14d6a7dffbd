// The fake's stand-in for stripe.js: an ordinary field in place of the provider's frames.
window.Stripe = () => ({
  elements: () => ({
    create: () => ({
      mount(selector) {
        document.querySelector(selector).innerHTML =
          '<input id="fake-number" value="4242 4242 4242 4242" aria-label="Card number">'
      },
    }),
  }),
  async createPaymentMethod() {
    const number = document.querySelector('#fake-number').value
    const answer = await fetch('FAKE_URL/fake/token', {
      method: 'POST',
      body: new URLSearchParams({ number }),
    })
    const { token, error } = await answer.json()
    return error ? { error } : { paymentMethod: { id: token } }
  },
})

// The fake's stand-in for mollie.js: an ordinary field in place of the provider's frames.
window.Mollie = () => ({
  createComponent: () => ({
    mount(selector) {
      document.querySelector(selector).innerHTML =
        '<input id="fake-number" value="4543 4740 0224 9996" aria-label="Card number">'
    },
  }),
  async createToken() {
    const number = document.querySelector('#fake-number').value
    return (
      await fetch('FAKE_URL/fake/token', { method: 'POST', body: new URLSearchParams({ number }) })
    ).json()
  },
})

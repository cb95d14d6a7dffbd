// The fake's stand-in for adyen-web: ordinary fields in place of the provider's frames.
window.AdyenWeb = {
  AdyenCheckout: async (configuration) => configuration,
  Card: class {
    constructor(_checkout, { onChange }) {
      this.onChange = onChange
    }

    mount(selector) {
      const place = document.querySelector(selector)
      place.innerHTML =
        '<input id="fake-number" value="4111 1111 1111 1111" aria-label="Card number">' +
        '<input id="fake-name" value="Ada Lovelace" aria-label="Name on card">'
      const change = async () => {
        const number = document.querySelector('#fake-number').value
        const name = document.querySelector('#fake-name').value
        const body = new URLSearchParams({ number, name })
        const answer = await fetch('FAKE_URL/fake/token', { method: 'POST', body })
        const { token } = await answer.json()
        this.onChange({ isValid: token !== undefined, data: { paymentMethod: token } })
      }
      place.addEventListener('change', change)
      change()
      return this
    }
  },
}

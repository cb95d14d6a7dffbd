// The fake's stand-in for Frames: an ordinary field in place of the provider's frame.
const handlers = new Map()
window.Frames = {
  Events: { CARD_TOKENIZED: 'cardTokenized', CARD_TOKENIZATION_FAILED: 'cardTokenizationFailed' },
  init() {
    document.querySelector('.card-frame').innerHTML =
      '<input id="fake-number" value="4242 4242 4242 4242" aria-label="Card number">'
  },
  addEventHandler: (event, handler) => handlers.set(event, handler),
  enableSubmitForm() {},
  async submitCard() {
    const number = document.querySelector('#fake-number').value
    const answer = await fetch('FAKE_URL/fake/token', {
      method: 'POST',
      body: new URLSearchParams({ number }),
    })
    const { token, error } = await answer.json()
    handlers.get(error ? 'cardTokenizationFailed' : 'cardTokenized')?.(error ?? { token })
  },
}

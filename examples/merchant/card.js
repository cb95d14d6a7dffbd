import { loadRailyard } from '/elements.js'

const post = async (path, body = {}) => {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const read = await answer.json()
  if (!answer.ok) throw new Error(read.message)
  return read
}

// the card goes into a checkout session, in a frame that neither this page nor the shop's server can read
const { session, origin } = await post('/card/session')
const card = (await loadRailyard({ origin, session })).card({ postalCode: true })
card.mount('#card')

async function pay() {
  try {
    await card.submit()
    location.href = (await post('/card/pay', { session })).next
  } catch (error) {
    // an incomplete card is explained by its own fields
    if (error.code !== 'incomplete')
      document.querySelector('#message').textContent = `Paying did not work: ${error.message}`
  }
}
card.on('submit', pay)
document.querySelector('#card-form').addEventListener('submit', (event) => {
  event.preventDefault()
  pay()
})
document.body.dataset.ready = 'true'

const field = (id) => document.querySelector(`#${id}`)
const digits = (id) => field(id).value.replace(/\D/g, '')

const say = (text) => {
  field('message').textContent = text
}

async function post(url, body, method = 'POST') {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const read = answer.status === 204 ? {} : await answer.json()
  if (answer.ok) return read
  throw Object.assign(new Error(read.message ?? 'something in the form is missing'), {
    details: read.details ?? [],
  })
}

// the inputs have no name: even without this script no browser would send them to the shop
const session = await post('/card/session', {})

/** Straight to Railyard: the shop's server never sees the card. The session's id is the only credential. */
const enter = () => {
  const payment_method = {
    method: 'card',
    number: digits('number'),
    expiration_date: field('expiry').value,
    security_code: digits('code'),
  }
  return post(
    `${session.url}/fields`,
    { payment_method, postal_code: field('postal-code').value || null },
    'PUT',
  )
}

const labels = { number: 'The card number', expiration_date: 'The date', security_code: 'The security code' }
const explain = ({ message, details }) =>
  details
    .map(({ pointer, message }) => `${labels[pointer.split('/').at(-1)] ?? pointer} ${message}.`)
    .join(' ') || `Paying did not work: ${message}.`

field('number').addEventListener('change', async () => {
  const bin = digits('number').slice(0, 8)
  const { scheme } =
    bin.length < 6
      ? { scheme: null }
      : await post(`${session.url}/card-details`, { bin }).catch(() => ({ scheme: null }))
  field('scheme').textContent = scheme ?? ''
})

field('card-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  say('')
  try {
    await enter()
    // from here on the shop's server does it: it names the session, and is told how the payment went
    const { next } = await post('/card/pay', { session: session.id })
    location.href = next
  } catch (error) {
    say(explain({ message: error.message, details: error.details ?? [] }))
  }
})
document.body.dataset.ready = 'true'

// @ts-check

const { createRailyard } = require('@railyard/client')
const { amounts } = require('./amounts.cjs')
const { connect } = require('./connect.cjs')
const { startReceiver } = require('./receiver.cjs')
const { signToken } = require('./sign-token.cjs')

/** @import { Joined } from './connect.cjs' */
/** @import { Answer, Card, Duration, Fault, Railyard, StartOptions } from './testing.d.cts' */

/** @type {Card} */
const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

/**
 * Documented in testing.d.cts.
 *
 * @param {StartOptions} [options]
 * @returns {Promise<Railyard>}
 */
async function startRailyard({ isolated = false, settings = {}, ...unknownOptions } = {}) {
  for (const name of Object.keys(unknownOptions))
    throw new TypeError(`${name} is no option: isolated, settings`)
  if (!isolated && Object.keys(settings).length > 0)
    throw new TypeError('settings are for an instance of its own: isolated: true')
  return join((receiver) => connect({ receiver, isolated, settings }))
}

/**
 * Starts a receiver of webhooks, joins an instance with it, and makes the handle.
 *
 * @param {(receiver: string) => Promise<Joined>} connectTo
 * @returns {Promise<Railyard>}
 */
async function join(connectTo) {
  const receiver = await startReceiver()
  const joined = await connectTo(receiver.url).catch((error) => {
    receiver.close()
    throw error
  })
  const { welcome } = joined
  receiver.expectSignaturesOf(welcome.webhookSecret)
  const { url, account, privateKeyPem, keyId, paymentServices } = welcome
  const client = createRailyard({ baseUrl: url, privateKey: privateKeyPem, merchantAccount: account })

  /** @type {Railyard['token']} */
  const token = (tokenOptions) => signToken(welcome, tokenOptions)
  const headersNow = () => ({ authorization: `Bearer ${token()}`, 'x-svc-merchant-account-id': account })

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {Record<string, string>} [more]
   * @returns {Promise<Answer>}
   */
  async function send(method, path, body, more = {}) {
    if (!path.startsWith('/'))
      throw new TypeError(`a path begins with a slash: /transactions, and not ${path}`)
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headersNow(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : read(text), headers: answer.headers }
  }

  /**
   * Sends a request of a helper; throws unless it is answered with a 2xx.
   *
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async function arrange(method, path, body) {
    const answer = await send(method, path, body)
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }

  const now = async () => new Date((await arrange('GET', '/sandbox/clock')).now)

  /**
   * Repeats the request until the clock has arrived: it stops on the way if much falls due at once.
   *
   * @param {Date} target
   */
  async function advanceTo(target) {
    for (;;) {
      const reached = new Date(
        (await arrange('POST', '/sandbox/clock/advance', { to: target.toISOString() })).now,
      )
      if (reached >= target) return reached
    }
  }

  /** @param {readonly Fault[]} faults */
  async function setFaults(faults) {
    if (!Array.isArray(faults)) throw new TypeError('faults.set takes a list of faults')
    for (const { service = 'mock-card' } of faults)
      if (!Object.hasOwn(paymentServices, service))
        throw new TypeError(`${service} is none of ${Object.keys(paymentServices).join(', ')}`)
    for (const [definition, id] of Object.entries(paymentServices)) {
      const items = faults
        .filter(({ service = 'mock-card' }) => service === definition)
        .map(({ service, ...fault }) => ({ ...fault, payment_service_id: id }))
      await arrange('PUT', `/sandbox/faults?payment_service_id=${id}`, { items })
    }
  }

  /** @type {Railyard[]} */
  const forks = []
  async function fork() {
    const copy = await join((forkReceiver) =>
      joined.fork(forkReceiver, { url, account, receiver: receiver.url }),
    )
    forks.push(copy)
    return copy
  }

  async function end() {
    await Promise.all(forks.map((copy) => copy.close()))
    await joined.leave()
    receiver.close()
  }

  /** @type {Promise<void> | undefined} */
  let closing
  return {
    client,
    fork,
    url,
    account,
    privateKeyPem,
    keyId,
    paymentServices,
    card,
    amounts,
    token,
    get headers() {
      return headersNow()
    },
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    webhooks: receiver.webhooks,
    clock: {
      advance: async (by) => advanceTo(new Date((await now()).getTime() + inSeconds(by) * 1_000)),
      advanceTo: async (to) => advanceTo(readTime(to)),
      now,
    },
    faults: { set: setFaults, clear: () => setFaults([]) },
    simulate: (transactionId, event, more = {}) =>
      arrange('POST', `/sandbox/transactions/${transactionId}/simulate`, { event, ...more }),
    close: () => (closing ??= end()),
  }
}

/** @param {Date | string} time */
function readTime(time) {
  const read = new Date(time)
  if (Number.isNaN(read.getTime()))
    throw new TypeError('clock.advanceTo takes a time: a Date, or 2027-01-31T12:00:00Z')
  return read
}

const unitSeconds = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 }

/** @param {Duration} duration */
function inSeconds(duration) {
  const parts = Object.entries(duration ?? {})
  const isKnown =
    parts.length > 0 &&
    parts.every(
      ([unit, count]) => Object.hasOwn(unitSeconds, unit) && typeof count === 'number' && count >= 0,
    )
  if (!isKnown)
    throw new TypeError(
      'clock.advance takes days, hours, minutes, seconds, or some of them, and goes forward: { days: 7 }',
    )
  return Object.entries(unitSeconds).reduce(
    (sum, [unit, seconds]) => sum + (duration[/** @type {keyof Duration} */ (unit)] ?? 0) * seconds,
    0,
  )
}

/** @param {string} text */
function read(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

module.exports = { startRailyard, card, amounts }

// @ts-check

const { createHmac, timingSafeEqual } = require('node:crypto')
const { createServer } = require('node:http')

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { NextOptions, WebhookEvent, Webhooks } from './testing.d.cts' */

const TIMEOUT_MS = 4_000

/**
 * Starts a receiver of webhooks: it answers 200 to a signed delivery and 401 to anything else. It does not
 * keep the process alive.
 */
async function startReceiver() {
  let secret = ''
  /** @type {WebhookEvent[]} */
  const events = []
  /** @type {Set<string>} Ids of events that a test has taken. */
  const taken = new Set()
  /** @type {Set<() => void>} */
  const watchers = new Set()

  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (!isSigned(secret, request.headers, text)) return void reply.writeHead(401).end()
    const event = JSON.parse(text)
    if (!events.some(({ id }) => id === event.id)) events.push(event)
    reply.writeHead(200).end()
    for (const watch of [...watchers]) watch()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  server.unref()
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`

  /**
   * The oldest event that fits and no test has taken yet.
   *
   * @param {string | undefined} name
   * @param {string | undefined} about
   */
  function take(name, about) {
    const fits = (/** @type {WebhookEvent} */ event) =>
      !taken.has(event.id) &&
      (name === undefined || event.name === name) &&
      (about === undefined || event.target.id === about)
    const event = events.find(fits)
    if (event) taken.add(event.id)
    return event
  }

  /**
   * @param {string} [name]
   * @param {NextOptions} [options]
   * @returns {Promise<WebhookEvent>}
   */
  function next(name, { about, timeout = TIMEOUT_MS } = {}) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        watchers.delete(watch)
        clearTimeout(timer)
      }
      const watch = () => {
        const event = take(name, about)
        if (!event) return
        stop()
        resolve(event)
      }
      const timer = setTimeout(() => {
        stop()
        reject(new Error(timeoutMessage(name, about, timeout)))
      }, timeout)
      watchers.add(watch)
      watch()
    })
  }

  /**
   * @param {string | undefined} name
   * @param {string | undefined} about
   * @param {number} timeout
   */
  function timeoutMessage(name, about, timeout) {
    const wanted = `${name ?? 'event'}${about === undefined ? '' : ` about ${about}`}`
    const received = events.map(
      (event) =>
        `  ${event.name} about ${event.target.type} ${event.target.id}${taken.has(event.id) ? ' (was given before)' : ''}`,
    )
    return `no webhook ${wanted} came within ${timeout} ms; ${received.length === 0 ? 'none came at all' : `these did:\n${received.join('\n')}`}`
  }

  return {
    url,
    /** @type {Webhooks} */
    webhooks: {
      url,
      get secret() {
        return secret
      },
      next,
      all: (name) => events.filter((event) => name === undefined || event.name === name),
    },
    /** @param {string} webhookSecret */
    expectSignaturesOf(webhookSecret) {
      secret = webhookSecret
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Whether the delivery is signed with this secret. The timestamp is not checked: the account's clock may be
 * ahead of this machine's.
 *
 * @param {string} secret
 * @param {IncomingHttpHeaders} headers
 * @param {string} body
 */
function isSigned(secret, headers, body) {
  const expected = Buffer.from(
    createHmac('sha256', secret).update(`${headers['x-svc-webhook-timestamp']}.${body}`).digest('hex'),
  )
  return String(headers['x-svc-webhook-signatures'] ?? '')
    .split(',')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}

module.exports = { startReceiver }

// @ts-check

const { createHmac, timingSafeEqual } = require('node:crypto')
const { createServer } = require('node:http')

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { NextOptions, WebhookEvent, Webhooks } from './testing.d.cts' */

/** Milliseconds. */
const PATIENCE = 4_000

/** Answers 200 to what is signed, 401 to anything else. It keeps no process alive. */
async function startReceiver() {
  let secret = ''
  /** @type {WebhookEvent[]} */
  const events = []
  /** @type {Set<string>} Ids of events that a test has been given. */
  const given = new Set()
  /** @type {Set<() => void>} */
  const watching = new Set()

  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (!isSigned(secret, request.headers, text)) return void reply.writeHead(401).end()
    const event = JSON.parse(text)
    if (!events.some(({ id }) => id === event.id)) events.push(event)
    reply.writeHead(200).end()
    for (const watch of [...watching]) watch()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  server.unref()
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`

  /**
   * @param {string | undefined} name
   * @param {string | undefined} about
   */
  function take(name, about) {
    const fits = (/** @type {WebhookEvent} */ event) =>
      !given.has(event.id) && (name === undefined || event.name === name) && (about === undefined || event.target.id === about)
    const event = events.find(fits)
    if (event) given.add(event.id)
    return event
  }

  /**
   * @param {string} [name]
   * @param {NextOptions} [options]
   * @returns {Promise<WebhookEvent>}
   */
  function next(name, { about, timeout = PATIENCE } = {}) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        watching.delete(watch)
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
        reject(new Error(missed(name, about, timeout)))
      }, timeout)
      watching.add(watch)
      watch()
    })
  }

  /**
   * @param {string | undefined} name
   * @param {string | undefined} about
   * @param {number} timeout
   */
  function missed(name, about, timeout) {
    const wanted = `${name ?? 'event'}${about === undefined ? '' : ` about ${about}`}`
    const came = events.map(({ id, name: its, target }) => `  ${its} about ${target.type} ${target.id}${given.has(id) ? ' (was given before)' : ''}`)
    return `no webhook ${wanted} came within ${timeout} ms; ${came.length === 0 ? 'none came at all' : `these did:\n${came.join('\n')}`}`
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
    /** @param {string} known */
    expectSignaturesOf(known) {
      secret = known
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * The account's time may be another than ours, so the age of a signature says nothing.
 *
 * @param {string} secret
 * @param {IncomingHttpHeaders} headers
 * @param {string} body
 */
function isSigned(secret, headers, body) {
  const expected = Buffer.from(createHmac('sha256', secret).update(`${headers['x-svc-webhook-timestamp']}.${body}`).digest('hex'))
  return String(headers['x-svc-webhook-signatures'] ?? '')
    .split(',')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}

module.exports = { startReceiver }

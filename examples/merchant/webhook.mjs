import { createHmac, timingSafeEqual } from 'node:crypto'

/** What the deliveries of this shop's subscription are signed with. Without it nothing is believed. */
const secret = process.env.WEBHOOK_SECRET

/**
 * Seconds. An older request may be a replay by an attacker who recorded it: Railyard stamps and signs each
 * attempt anew.
 */
const TOLERANCE = 300

/**
 * Whether Railyard has signed this body, lately. While the secret is rotated there is a signature of each
 * secret: one that fits is enough.
 */
function isSigned(headers, body) {
  const timestamp = headers['x-svc-webhook-timestamp'] ?? ''
  if (!secret || !/^\d+$/.test(timestamp) || Number(timestamp) < Date.now() / 1000 - TOLERANCE) return false
  const expected = Buffer.from(createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'))
  const signatures = (headers['x-svc-webhook-signatures'] ?? '')
    .split(',')
    .map((signature) => Buffer.from(signature))
  return signatures.some(
    (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
  )
}

/** A real shop has both in its database, and writes them in one commit with what the event makes it do. */
const handled = new Set()
const newest = new Map()

/** The status to answer. Anything but a 2xx, and Railyard sends the event again. */
export function receive(headers, body) {
  if (!isSigned(headers, body)) return 401
  const { id, name, sequence, target } = JSON.parse(body)
  // sent again, since our answer was lost
  if (handled.has(id)) return 204
  handled.add(id)
  // a replay may bring what we are beyond already
  if (sequence > (newest.get(target.id)?.sequence ?? 0)) newest.set(target.id, { sequence, name, target })
  return 204
}

/** How many events there were, and each resource as the newest of its events has it. */
export const told = () => ({ events: handled.size, resources: [...newest.values()] })

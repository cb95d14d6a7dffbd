import { setTimeout as wait } from 'node:timers/promises'
import { signToken } from '../accounts/api-keys/private-key.ts'
import { version } from '../api/openapi/openapi.ts'
import { newSigningSecret, signatureHeaders, toStandardWebhooksSecret } from '../events/delivery/signature.ts'
import type { Event } from '../events/event.schema.ts'
import { eventNames } from '../events/event-name.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './support/user-error.ts'
import { readTokenSigner } from './token-signer.ts'

export interface ListenOptions {
  /** URL of the receiver. Absent: events are printed only. */
  forwardTo?: string
  /** Names of events, or their beginnings (`transaction.*`); empty: all. */
  events: string[]
  merchantAccount?: string
  /** URL of the API; default: that of the settings. */
  url?: string
  /** PEM file; default: the instance's first key. */
  key?: string
  /** Of an RSA key, which fits two algorithms. */
  algorithm?: string
  /** Signs the forwarded events; default: a new one. */
  secret?: string
}

const INTERVAL_MS = 500
const MAX_PAUSE_MS = 10_000
/** As long as a delivery waits (semantics §15.2). */
const ANSWER_TIMEOUT_MS = 5_000
const PAGE = 100

/** `railyard listen`: prints events as they happen, and forwards them as webhooks, until Ctrl-C. */
export async function listen(
  settings: Settings,
  { forwardTo, events, secret: secretOption, ...options }: ListenOptions,
): Promise<void> {
  const { signal } = abortOnSignal()
  const secret = readSecret(secretOption)
  if (forwardTo !== undefined && !/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
    throw new UserError('--forward-to takes a URL: http://localhost:3000/hook')
  for (const event of events)
    if (!eventNames.some((name) => matches(event, name)))
      throw new UserError(`--events: no event is named ${event}`)
  const url = (options.url ?? settings.publicUrl ?? `http://${settings.host}:${settings.port}`).replace(
    /\/+$/,
    '',
  )
  if (!URL.canParse(url)) throw new UserError('--url takes a URL: http://127.0.0.1:8080')
  const readPage = await eventReader(settings, { ...options, url }, signal)
  const isWanted = (name: string) => events.length === 0 || events.some((event) => matches(event, name))

  let pause = INTERVAL_MS
  for (let after: string | undefined; !signal.aborted; ) {
    const page = await readPage(after ?? 'now')
    if ('lost' in page) {
      if (pause === INTERVAL_MS && !signal.aborted)
        console.error(`${url} does not answer (${page.lost}): trying again`)
      pause = Math.min(pause * 2, MAX_PAUSE_MS)
    } else {
      if (after === undefined) console.log(welcome(url, forwardTo, secret))
      else if (pause > INTERVAL_MS) console.error(`${url} answers again`)
      pause = INTERVAL_MS
      for (const event of page.items)
        if (isWanted(event.name)) console.log(await eventLine(event, forwardTo, secret, signal))
      after = page.next_cursor
      if (page.items.length === PAGE) continue
    }
    await wait(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** Aborted by Ctrl-C and by SIGTERM. */
function abortOnSignal(): AbortController {
  const end = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end.abort())
  return end
}

/** Reads a secret in either of its forms; makes one if there is none. */
function readSecret(text = newSigningSecret()): string {
  const secret = text.startsWith('whsec_')
    ? Buffer.from(text.slice('whsec_'.length), 'base64').toString()
    : text
  if (secret === '') throw new UserError('--secret takes the secret that deliveries are signed with')
  return secret
}

const matches = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

function welcome(url: string, forwardTo: string | undefined, secret: string): string {
  if (forwardTo === undefined) return `Listening to ${url}; Ctrl-C ends`
  return [
    `Listening to ${url}, forwarding to ${forwardTo}; Ctrl-C ends`,
    `  secret            ${secret}`,
    `  standardwebhooks  ${toStandardWebhooksSecret(secret)}`,
  ].join('\n')
}

/** A page of the event feed; `lost` is why none could be read at the moment. */
type FeedPage = { items: Event[]; next_cursor: string } | { lost: string }

/**
 * Returns a function that reads the event feed after a cursor. It answers `lost` for a failure that may pass,
 * and throws `UserError` for one that the developer has to fix.
 */
async function eventReader(
  settings: Settings,
  { url, key, algorithm, merchantAccount }: Omit<ListenOptions, 'events'> & { url: string },
  ended: AbortSignal,
) {
  const signer = await readTokenSigner(settings, key, algorithm)
  const accountHeader = merchantAccount && { 'x-svc-merchant-account-id': merchantAccount }
  return async (after: string): Promise<FeedPage> => {
    const token = await signToken(
      signer,
      { scopes: ['webhook-subscriptions.read'], expiresIn: 60 },
      Date.now(),
    )
    const headers = { authorization: `Bearer ${token}`, ...accountHeader }
    try {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
      const answer = await fetch(`${url}/events?limit=${PAGE}&after=${encodeURIComponent(after)}`, {
        headers,
        signal,
      })
      const body = JSON.parse(await answer.text())
      if (answer.ok) return body
      // the database was restored: the feed continues from this cursor
      if (answer.status === 410 && typeof body.next_cursor === 'string')
        return { items: [], next_cursor: body.next_cursor }
      if (answer.status < 500 && answer.status !== 429)
        throw new UserError(`${url}/events answered ${answer.status}: ${body.message}`)
      return { lost: String(answer.status) }
    } catch (error) {
      if (error instanceof UserError) throw error
      return { lost: reasonOf(error) }
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}

/** The line about an event, with the receiver's answer if it is forwarded. */
async function eventLine(
  event: Event,
  forwardTo: string | undefined,
  secret: string,
  signal: AbortSignal,
): Promise<string> {
  const line = `${event.created_at}  ${event.name}  ${event.target.id}`
  return forwardTo === undefined ? line : `${line}  ${await forward(event, forwardTo, secret, signal)}`
}

async function forward(event: Event, forwardTo: string, secret: string, ended: AbortSignal): Promise<string> {
  const body = JSON.stringify(event)
  const signed = signatureHeaders([secret], { id: event.id, timestamp: Math.floor(Date.now() / 1000), body })
  const startedAt = performance.now()
  try {
    const answer = await fetch(forwardTo, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `Railyard/${version}`, ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([ended, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    })
    await answer.body?.cancel()
    return `${answer.status} after ${Math.round(performance.now() - startedAt)} ms`
  } catch (error) {
    return `not delivered: ${reasonOf(error)}`
  }
}

import type { Static, TSchema } from 'typebox'
import { request } from 'undici'
import type { Validator } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import type { Sandbox } from '../../sandbox.ts'

/** A message between two parties; the receiver validates it. */
export type Message = Record<string, unknown>

/**
 * The party that reports an error: the 3DS server, the directory server, or the issuer's access control
 * server.
 */
export type Component = 'S' | 'D' | 'A'

const descriptions = {
  '201': 'Required data element missing',
  '203': 'Format of one or more data elements is invalid',
  '301': 'Transaction ID not recognised',
  '305': 'Transaction data not valid',
  '405': 'System connection failure',
} as const

/** A refused message, with the reason. */
export interface ErroContent {
  about: unknown
  kind: 'AReq' | 'CReq' | 'RReq'
  code: keyof typeof descriptions
  component: Component
  /** The wrong member. */
  detail: string
}

/** Makes an Erro about a message, which may be anything. */
export function erroMessage({ about, kind, code, component, detail }: ErroContent): Message {
  const message: Message = typeof about === 'object' && about !== null ? { ...about } : {}
  const { messageVersion, threeDSServerTransID } = message
  return {
    messageType: 'Erro',
    messageVersion: /^2\.(1\.0|2\.0|3\.1)$/.test(String(messageVersion)) ? messageVersion : '2.2.0',
    ...(isUuid(threeDSServerTransID) && { threeDSServerTransID }),
    errorCode: code,
    errorComponent: component,
    errorDescription: descriptions[code],
    errorDetail: detail,
    errorMessageType: kind,
  }
}

const isUuid = (value: unknown) =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)

/** Validates a message by its schema; an invalid one gives an Erro. */
export function readMessage<S extends TSchema>(
  validator: Validator<S>,
  about: unknown,
  { kind, component }: Pick<ErroContent, 'kind' | 'component'>,
): { message: Static<S> } | { refused: Message } {
  if (validator.Check(about)) return { message: about }
  const code = validator.Errors(about)[0]?.keyword === 'required' ? '201' : '203'
  return { refused: erroMessage({ about, kind, code, component, detail: firstError(validator, about) }) }
}

/** What a browser carried: base64url of a JSON object. Undefined: it cannot be read. */
export function decodedMessage(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof message === 'object' && message !== null ? { ...message } : undefined
  } catch {
    return undefined
  }
}

const TIMEOUT_MS = 2_000

/** Sends a message to another party. Undefined: there is no readable answer. */
export async function sendMessage(
  { ending }: Sandbox,
  url: string,
  message: Message,
): Promise<Message | undefined> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const received: unknown = await answer.body.json()
    return typeof received === 'object' && received !== null ? { ...received } : undefined
  } catch {
    return undefined
  }
}

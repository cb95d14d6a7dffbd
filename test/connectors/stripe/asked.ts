import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import type { Part } from '../../../src/connectors/wire/http-message.ts'

/** Signs the notifications of the merchant's own account while no endpoint is registered. */
export const WEBHOOK_SECRET = 'whsec_fake'

/** Signs those of connected accounts until then. */
export const CONNECT_WEBHOOK_SECRET = 'whsec_fake_connect'

/** Each registered endpoint has a secret of its own. */
export const secretOf = (endpoint: { id: string }): string => `whsec_${endpoint.id}`

/** A request as a route of the fake gets it. */
export interface Asked {
  /** The ids in the path. */
  id: string
  form: Readonly<Record<string, string>>
  parts: readonly Part[]
  key: string
}

export class Refused extends Error {
  readonly answer: FakeAnswer
  /** `isKept`: Stripe keeps the answer under the request's key. */
  readonly isKept: boolean
  constructor(status: number, error: Record<string, unknown>, isKept = true) {
    super(`${status} ${JSON.stringify(error)}`)
    this.answer = { status, body: { error } }
    this.isKept = isKept
  }
}

export const invalid = (code: string, more: Record<string, unknown> = {}) =>
  new Refused(400, { type: 'invalid_request_error', code, message: `refused: ${code}`, ...more })

/** Members of a form in brackets: `metadata[a]` is `a` of `metadata`. */
export const membersOf = (form: Asked['form'], name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).flatMap(([field, value]) =>
      field.startsWith(`${name}[`) ? [[field.slice(name.length + 1, -1), value]] : [],
    ),
  )

export const upper = ({ currency }: { currency: string }) => currency.toUpperCase()

import { Type } from 'typebox'
import { Value } from 'typebox/value'

const Base64Url = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength })

// WebAuthn §6.1: an id has 1,023 bytes at most
const members = { id: Base64Url(1364), rawId: Base64Url(1364), type: Type.Literal('public-key') }

/** `PublicKeyCredential.toJSON()` of a new passkey (WebAuthn §5.1.8); other members are not read. */
const NewCredential = Type.Object({
  ...members,
  response: Type.Object({
    clientDataJSON: Base64Url(8_192),
    attestationObject: Base64Url(32_768),
    transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$' }), { maxItems: 10 })),
  }),
})

/** `PublicKeyCredential.toJSON()` of a sign-in; other members are not read. */
const Assertion = Type.Object({
  ...members,
  response: Type.Object({
    clientDataJSON: Base64Url(8_192),
    authenticatorData: Base64Url(8_192),
    signature: Base64Url(8_192),
    userHandle: Type.Optional(Type.Union([Base64Url(128), Type.Null()])),
  }),
})

const ClientData = Type.Object({
  challenge: Type.String(),
  crossOrigin: Type.Optional(Type.Boolean()),
})

/** What an authenticator answered, with the challenge that it signed. */
export interface SignedCredential<T> {
  credential: T
  challenge: string
}

/** Undefined: it has another shape, or comes from a frame within a page of another origin. */
export const readNewCredential = (value: unknown) =>
  Value.Check(NewCredential, value) ? withChallenge(value) : undefined

/** Undefined: it has another shape, or comes from a frame within a page of another origin. */
export const readAssertion = (value: unknown) =>
  Value.Check(Assertion, value) ? withChallenge(value) : undefined

function withChallenge<T extends { response: { clientDataJSON: string } }>(
  credential: T,
): SignedCredential<T> | undefined {
  const data = parseJson(Buffer.from(credential.response.clientDataJSON, 'base64url').toString())
  return Value.Check(ClientData, data) && data.crossOrigin !== true
    ? { credential, challenge: data.challenge }
    : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a test may change in an authenticator's answer. */
interface Answering {
  origin?: string
  rpId?: string
  crossOrigin?: boolean
  /** False: the authenticator has not verified the person. */
  verified?: boolean
  /** The signature counter; default: one more than last time. */
  counter?: number
  /** The challenge that is signed; default: that of the options. */
  challenge?: string
}

interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff])

const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

/** An authenticator in software with one passkey (WebAuthn §6), as a browser on a page of `origin` uses it. */
export function softwareAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let used = 0
  let userHandle: string | undefined

  const clientData = (type: string, { challenge }: Options, how: Answering) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: how.challenge ?? challenge,
        origin: how.origin ?? origin,
        crossOrigin: how.crossOrigin ?? false,
      }),
    )
  const authenticatorData = (rpId: string, how: Answering, more = Buffer.alloc(0)) => {
    used = how.counter ?? used + 1
    const flags = PRESENT | (how.verified === false ? 0 : VERIFIED) | (more.length > 0 ? WITH_CREDENTIAL : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(used)
    return Buffer.concat([sha256(how.rpId ?? rpId), Buffer.from([flags]), counter, more])
  }
  /** The public key in COSE (RFC 9053 §7.1): an EC2 key for ES256 on P-256. */
  const coseKey = () => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }
  const toJson = (clientDataJSON: Buffer, response: Record<string, Buffer | string | undefined>) => ({
    id,
    rawId: id,
    type: 'public-key',
    response: Object.fromEntries(
      Object.entries({ clientDataJSON, ...response }).map(([name, value]) => [
        name,
        Buffer.isBuffer(value) ? value.toString('base64url') : value,
      ]),
    ),
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  })

  return {
    id,
    /** What `navigator.credentials.create()` answers, as JSON. */
    create(options: Options, how: Answering = {}) {
      userHandle = options.user?.id
      const credential = Buffer.concat([
        Buffer.alloc(16),
        uint16(credentialId.length),
        credentialId,
        coseKey(),
      ])
      const data = authenticatorData(options.rp?.id ?? '', how, credential)
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
        uint16(data.length),
        data,
      ])
      return toJson(clientData('webauthn.create', options, how), { attestationObject })
    },
    /** What `navigator.credentials.get()` answers, as JSON. */
    get(options: Options, how: Answering = {}) {
      const data = authenticatorData(options.rpId ?? '', how)
      const client = clientData('webauthn.get', options, how)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return toJson(client, { authenticatorData: data, signature, userHandle })
    },
  }
}

export type SoftwareAuthenticator = ReturnType<typeof softwareAuthenticator>

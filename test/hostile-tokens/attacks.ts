import { createHmac, createPublicKey } from 'node:crypto'
import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import { algorithms } from '../../src/api/auth/token.ts'
import { encode, goodClaims, headerOf, signed } from '../support/tokens.ts'

/** The target of the attacks: a valid token and its signer. */
export interface Attacked {
  token: string
  signer: Signer
}

/** The attackers' own key pairs: one of the same instance, an unknown one, and a revoked one. */
export interface Attackers {
  other: Signer
  stranger: Signer
  revoked: Signer
}

/** The token of each attack, by its name. */
export type Attacks = Record<string, string | Promise<string>>

const now = () => Math.floor(Date.now() / 1000)

/**
 * Attacks without a key: the header names another algorithm, and the signature is missing or made with public
 * data.
 */
function forged({ signer, token }: Attacked): Attacks {
  const [, payload = '', signature = ''] = token.split('.')
  const header = headerOf(signer)
  const publicKey = createPublicKey({ key: signer.publicJwk, format: 'jwk' })
  const secrets = {
    PEM: publicKey.export({ type: 'spki', format: 'pem' }),
    DER: publicKey.export({ type: 'spki', format: 'der' }),
    JWK: JSON.stringify(signer.publicJwk),
    kid: signer.thumbprint,
    nothing: '',
  }
  const withHeader = (more: object, end = signature) => `${encode({ ...header, ...more })}.${payload}.${end}`
  const asSecret = Object.entries(secrets).flatMap(([name, secret]) =>
    ([256, 384, 512] as const).map((bits) => {
      const content = `${encode({ ...header, alg: `HS${bits}` })}.${payload}`
      return [
        `HS${bits} with the public key as ${name}`,
        `${content}.${createHmac(`sha${bits}`, secret).update(content).digest('base64url')}`,
      ]
    }),
  )
  const nones = ['none', 'None', 'NONE', 'nOnE', '', null].flatMap((alg) => [
    [`alg ${alg} without a signature`, withHeader({ alg }, '')],
    [`alg ${alg} with a signature`, withHeader({ alg })],
  ])
  return Object.fromEntries([...asSecret, ...nones])
}

/** A valid token with a changed signature. */
function resigned({ token, signer }: Attacked): Attacks {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const half = bytes.length / 2
  const integer = (value: Buffer) => Buffer.concat([Buffer.from([2, value.length + 1, 0]), value])
  const der = Buffer.concat([
    Buffer.from([0x30, bytes.length + 6]),
    integer(bytes.subarray(0, half)),
    integer(bytes.subarray(half)),
  ])
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0)
  const endings: Record<string, Buffer> = {
    'r = s = 0': Buffer.alloc(bytes.length),
    'r = s = 1': Buffer.concat([
      Buffer.alloc(half - 1),
      Buffer.from([1]),
      Buffer.alloc(half - 1),
      Buffer.from([1]),
    ]),
    'all ones': Buffer.alloc(bytes.length, 0xff),
    'the DER form': der,
    'one bit changed': flipped,
    'one byte short': bytes.subarray(0, -1),
    'one byte more': Buffer.concat([bytes, Buffer.from([0])]),
    twice: Buffer.concat([bytes, bytes]),
  }
  const spelled = `${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return {
    ...Object.fromEntries(
      Object.entries(endings).map(([name, end]) => [
        name,
        `${header}.${payload}.${end.toString('base64url')}`,
      ]),
    ),
    'another spelling of the last character': `${header}.${payload}.${spelled}`,
    'padding at the end': `${token}=`,
    'more scopes, the old signature': `${header}.${encode({ ...claims, scopes: ['*.read', '*.write', 'embed'] })}.${signature}`,
    'an unsigned header member': `${encode({ ...headerOf(signer), cty: 'JWT' })}.${payload}.${signature}`,
  }
}

/** Signed with the key itself, but with a header that must not be trusted. */
function misheaded(signer: Signer, { other, stranger, revoked }: Attackers): Attacks {
  const header = headerOf(signer)
  const as = (more: object, by = signer) => signed(by, goodClaims(), { ...header, ...more })
  const others = [...algorithms, 'RS384', 'PS256', 'PS512', 'ES256K', 'Ed448'].filter(
    (alg) => alg !== signer.algorithm,
  )
  const kids = [
    other.thumbprint,
    '',
    ' ',
    '../../../../dev/null',
    "' or 1=1 --",
    `${signer.thumbprint}\u0000`,
    signer.thumbprint.toLowerCase(),
    'k'.repeat(4_000),
    7,
    null,
    {},
  ]
  return {
    'signed by a stranger': as({}, stranger),
    'signed by a stranger, as such': signed(stranger, goodClaims()),
    'signed by a key pair that was deleted': signed(revoked, goodClaims()),
    'signed by another key pair': as({}, other),
    'a stranger’s key in jwk': as({ jwk: stranger.publicJwk }, stranger),
    'the own key in jwk': as({ jwk: signer.publicJwk }),
    jku: as({ jku: 'https://attacker.example/keys.json' }, stranger),
    x5u: as({ x5u: 'https://attacker.example/chain.pem' }),
    x5c: as({ x5c: ['MIIB'] }),
    x5t: as({ x5t: 'AAAA' }),
    'crit of something unknown': as({ crit: ['exp'] }),
    'crit that is empty': as({ crit: [] }),
    'unencoded payload': as({ b64: false, crit: ['b64'] }),
    'b64 without crit': as({ b64: false }),
    'compressed payload': as({ zip: 'DEF' }),
    'enc, as of an encrypted token': as({ enc: 'A256GCM' }),
    'another typ': as({ typ: 'at+jwt' }),
    'a typ that is no text': as({ typ: ['JWT'] }),
    'no kid': signed(signer, goodClaims(), { alg: signer.algorithm, typ: 'JWT' }),
    'no alg': signed(signer, goodClaims(), { kid: signer.thumbprint, typ: 'JWT' }),
    'alg named twice': signed(signer, goodClaims(), `{"alg":"none",${JSON.stringify(header).slice(1)}`),
    'a header that is a list': signed(signer, goodClaims(), [header]),
    'a header that is no JSON': signed(signer, goodClaims(), 'alg'),
    ...Object.fromEntries(others.map((alg) => [`the algorithm ${alg}`, as({ alg })])),
    ...Object.fromEntries(kids.map((kid) => [`the kid ${JSON.stringify(kid).slice(0, 60)}`, as({ kid })])),
  }
}

/** Signed with the key itself, but with impossible claims. */
function misclaimed(signer: Signer): Attacks {
  const without = (name: string) => signed(signer, { ...goodClaims(), [name]: undefined })
  const wrong: Record<string, unknown[]> = {
    exp: [null, String(now() + 300), now() - 1, 0, -1, true, [now() + 300]],
    nbf: [null, String(now()), now() + 61 + 5, {}, 1e300],
    iat: ['now', now() + 61 + 5],
    iss: [null, 7, ['merchant']],
    jti: [null, '', 7, 'j'.repeat(256), 'nul\u0000'],
    scopes: [null, '*.write', [7], { 0: '*.write' }, [['*.write']], [null]],
    aud: ['https://another-instance.example', [], null],
    embed: [
      7,
      [],
      'all',
      { amount: '100' },
      { amount: -1 },
      { amount: 1.5 },
      { metadata: { a: 1 } },
      { metadata: { a: '\u0000' } },
      { merchant_account_id: '\u0000' },
    ],
    checkout_session_id: ['not a uuid', 7, {}],
  }
  const text = JSON.stringify(goodClaims())
  return {
    ...Object.fromEntries(
      ['iss', 'nbf', 'exp', 'jti', 'scopes'].map((name) => [`no ${name}`, without(name)]),
    ),
    ...Object.fromEntries(
      Object.entries(wrong).flatMap(([name, values]) =>
        values.map((value) => [
          `${name} ${JSON.stringify(value).slice(0, 60)}`,
          signed(signer, goodClaims({ [name]: value })),
        ]),
      ),
    ),
    'exp beyond all numbers': signed(signer, text.replace(/"exp":\d+/, '"exp":1e400')),
    'scopes twice': signed(signer, text.replace('{', '{"scopes":["transactions.read"],')),
    'scopes twice, once with an escape': signed(
      signer,
      text.replace('{', '{"\\u0073copes":["transactions.read"],'),
    ),
    'a list': signed(signer, [goodClaims()]),
    null: signed(signer, 'null'),
    nothing: signed(signer, ''),
    'no JSON': signed(signer, '{'),
    'half a character': signed(signer, text.slice(0, -1)),
  }
}

/** Texts that are not tokens. */
function misshapen(token: string): Attacks {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return {
    'a JWE': `${encode({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`,
    'a nested token': encode(token),
    'two parts': `${header}.${payload}`,
    'four parts': `${token}.${signature}`,
    'JSON serialization': JSON.stringify({ protected: header, payload, signature }),
    'parts without content': '..',
    'two tokens': `${token}, Bearer ${token}`,
    'base64 with + and /': `${header}.${payload}.${signature}+/`,
    'nothing else': 'null',
    '15 KB of zeros': '0'.repeat(15_000),
    '15 KB of kid': `${encode({ alg: 'ES256', kid: 'k'.repeat(10_000) })}.${payload}.${signature}`,
  }
}

/** Every known attack on a key pair's tokens. */
export const attacksOn = (attacked: Attacked, attackers: Attackers): Attacks => ({
  ...forged(attacked),
  ...resigned(attacked),
  ...misheaded(attacked.signer, attackers),
  ...misclaimed(attacked.signer),
  ...misshapen(attacked.token),
})

import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, SignJWT } from 'jose'

/** Where Railyard is, for this server and for browsers. */
export const url = (process.env.RAILYARD_URL ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
const account = process.env.MERCHANT_ACCOUNT_ID ?? 'default'

/** What a person has to mend before the shop can open, in a line. */
export function refuseToOpen(message) {
  console.error(`The example shop cannot open: ${message}`)
  process.exit(1)
}

const keyFile = join(process.env.DATA_DIR ?? './data', 'private_key.pem')
const pem = await readFile(keyFile).catch(() =>
  refuseToOpen(`${keyFile} cannot be read. The first start of Railyard makes it; DATA_DIR says where it is`),
)
const key = createPrivateKey(pem)
const publicKey = createPublicKey(key).export({ format: 'jwk' })
const algorithms = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'EdDSA' }
const header = {
  alg: algorithms[publicKey.crv] ?? 'RS512',
  typ: 'JWT',
  kid: await calculateJwkThumbprint(publicKey),
}

/** A token for the next few minutes. It stays on this server: no browser ever sees it. */
const bearer = () =>
  new SignJWT({ scopes: ['*.read', '*.write'] })
    .setProtectedHeader(header)
    .setIssuer('example-merchant')
    .setIssuedAt()
    .setNotBefore('0s')
    .setExpirationTime('5m')
    .setJti(randomUUID())
    .sign(key)

/**
 * Asks Railyard. `path` may be a whole address that it gave, as that of a completion. Throws what Railyard
 * says where it refuses.
 */
export async function ask(method, path, body) {
  const answer = await sent(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${await bearer()}`,
      'x-svc-merchant-account-id': account,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const read = await answer.json()
  if (answer.ok) return read
  const details = (read.details ?? []).map(({ pointer, message }) => ` ${pointer} ${message}`).join(';')
  throw Object.assign(new Error(`${read.message}${details}`), { status: answer.status })
}

/** Throws if no instance answers; the message names the address that the shop has tried. */
const sent = (address, init) =>
  fetch(address, init).catch(() => {
    throw new Error(
      `no Railyard answers at ${address.origin}: start it (npm start), or say with RAILYARD_URL where it is`,
    )
  })

const sandboxServices = {
  'wallet-wallet': {
    display_name: 'Wallet',
    fields: {
      client_id: 'example-wallet-client',
      client_secret: 'any',
      environment: 'simulator',
      webhook_id: 'WH-1',
    },
  },
  'bnpl-bnpl': {
    display_name: 'Pay later',
    fields: {
      username: 'example',
      password: 'any',
      environment: 'simulator',
      client_id: 'example-bnpl-client',
    },
  },
}

/** The account's payment service of this kind; in a sandbox that has none, one of the simulator's. */
export async function paymentService(definition) {
  const { items } = await ask('GET', '/payment-services?limit=100')
  const known = items.find(
    (service) => service.payment_service_definition_id === definition && service.active,
  )
  const service =
    known ??
    (await ask('POST', '/payment-services', {
      payment_service_definition_id: definition,
      ...newService(definition),
    }))
  const clientId = service.fields.find((field) => field.key === 'client_id')?.value
  return {
    id: service.id,
    clientId,
    script: `${url}/sandbox/providers/${definition.split('-')[0]}/${service.id}/sdk.js`,
  }
}

const newService = (definition) => ({
  display_name: sandboxServices[definition].display_name,
  fields: Object.entries(sandboxServices[definition].fields).map(([name, value]) => ({ key: name, value })),
  accepted_currencies: ['EUR', 'USD'],
  accepted_countries: ['DE', 'US'],
})

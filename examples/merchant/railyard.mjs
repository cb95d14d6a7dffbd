import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConnectionError, createRailyard, RailyardError } from '@railyard/client'

/** Where Railyard is, for this server and for browsers. */
export const url = (process.env.RAILYARD_URL ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')

/** Ends the shop with a line that says what has to be mended before it can open. */
export function refuseToOpen(message) {
  console.error(`The example shop cannot open: ${message}`)
  process.exit(1)
}

const keyFile = join(process.env.DATA_DIR ?? './data', 'private_key.pem')
const privateKey = await readFile(keyFile, 'utf8').catch(() =>
  refuseToOpen(`${keyFile} cannot be read. The first start of Railyard makes it; DATA_DIR says where it is`),
)

/** The key stays on this server: no browser ever sees it, or a token that it signs. */
export const railyard = createRailyard({
  baseUrl: url,
  privateKey,
  merchantAccount: process.env.MERCHANT_ACCOUNT_ID ?? 'default',
})

/** What to mend when Railyard answers 401. */
export const rejectedKey = `the Railyard at ${url} does not accept the key in ${keyFile}: DATA_DIR must be the folder of that Railyard`

/** What a person can do about an error of Railyard, in a line. */
export function explain(error) {
  if (error instanceof ConnectionError)
    return `no Railyard answers at ${url}: start it (npm start), or say with RAILYARD_URL where it is`
  const details = error instanceof RailyardError ? error.details : []
  return [error.message, ...details.map(({ pointer, message }) => `${pointer} ${message}`)].join('; ')
}

const sandboxFields = {
  'wallet-wallet': { client_id: 'example-wallet-client', client_secret: 'any', webhook_id: 'WH-1' },
  'bnpl-bnpl': { client_id: 'example-bnpl-client', username: 'example', password: 'any' },
}

/** The account's payment service of this kind; in a sandbox that has none, one of the simulator's. */
export async function paymentService(definition) {
  const { items } = await railyard.paymentServices.list({ limit: 100 }).page()
  const fields = { ...sandboxFields[definition], environment: 'simulator' }
  const { id, fields: values } =
    items.find((service) => service.payment_service_definition_id === definition && service.active) ??
    (await railyard.paymentServices.create({
      payment_service_definition_id: definition,
      display_name: definition === 'wallet-wallet' ? 'Wallet' : 'Pay later',
      fields: Object.entries(fields).map(([key, value]) => ({ key, value })),
      accepted_currencies: ['EUR', 'USD'],
      accepted_countries: ['DE', 'US'],
    }))
  return {
    id,
    clientId: values.find(({ key }) => key === 'client_id')?.value,
    script: `${url}/sandbox/providers/${definition.split('-')[0]}/${id}/sdk.js`,
  }
}

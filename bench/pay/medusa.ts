import type { DatabasePeer } from './database-peer.ts'

const cli = 'node_modules/@medusajs/cli/cli.js'

/** Stores a payment in three rows. */
export const medusa: DatabasePeer = {
  title: 'Medusa',
  name: 'medusa',
  megabytes: 700,
  migrateArgs: [cli, 'db:migrate'],
  startArgs: [cli, 'start'],
  env: { MEDUSA_DISABLE_TELEMETRY: '1', LOG_LEVEL: 'error' },
  payment: { amount: 12.99, currency: 'usd', metadata: { cart: '8c1d0f', channel: 'web' } },
}

import type { DatabasePeer } from './database-peer.ts'

/** Stores a payment in five rows: with its order, that order's channel and two entries of its history. */
export const vendure: DatabasePeer = {
  title: 'Vendure',
  name: 'vendure',
  megabytes: 140,
  startArgs: ['server.js'],
  env: { VENDURE_DISABLE_TELEMETRY: '1' },
  payment: { amount: 1299, metadata: { cart: '8c1d0f', channel: 'web' } },
}

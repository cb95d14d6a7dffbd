import { parseArgs } from 'node:util'
import { systemClock } from '../world.ts'
import { startSimulator } from './simulator.ts'

// The provider as its own process: crash tests kill Railyard and compare with books that did not die with it.

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    books: { type: 'string' },
    fsync: { type: 'boolean', default: false },
    'pending-ms': { type: 'string', default: '30000' },
  },
})

const simulator = await startSimulator({
  clock: systemClock,
  port: Number(values.port),
  host: values.host,
  fsync: values.fsync,
  pendingMs: Number(values['pending-ms']),
  ...(values.books !== undefined && { booksFile: values.books }),
})

console.log(`sandbox listening on ${simulator.url}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => simulator.close().then(() => process.exit(0)))

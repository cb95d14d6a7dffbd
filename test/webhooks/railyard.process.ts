import { startRailyard } from '../../src/process/railyard.ts'
import { readSettings } from '../../src/settings.ts'
import { clockAhead } from './clock.ts'

// node test/webhooks/railyard.process.ts CLOCK: what `railyard start` runs, with a clock that another process
// moves

const [, , clockFile = ''] = process.argv
const railyard = await startRailyard(readSettings(process.env), { clock: clockAhead(clockFile) })
process.on('SIGTERM', () => void railyard.close().then(() => process.exit(0)))
console.log(`API ${railyard.url}`)

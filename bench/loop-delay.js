// Loaded into the server under test by --import: on SIGUSR2 it writes how long the event loop was kept waiting since the last time. JavaScript,
// because a .ts file would bring the 22 MB into the process that src/main.js avoids.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const RESOLUTION_MS = 1

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  process.on('SIGUSR2', () => {
    console.error(`loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(2)}`)
    delay.reset()
    delay.enable()
  })
}

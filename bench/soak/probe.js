// Loaded into the server of the soak by --import, beside ../loop-delay.js: on SIGWINCH it collects all garbage and writes what is left. JavaScript, as that one is.
import { isMainThread } from 'node:worker_threads'

if (isMainThread)
  process.on('SIGWINCH', () => {
    globalThis.gc()
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    console.error(`kept ${heapUsed} ${external} ${rss} ${process.getActiveResourcesInfo().length}`)
  })

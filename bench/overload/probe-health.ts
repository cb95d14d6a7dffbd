import { once } from 'node:events'
import { request } from 'node:http'

const EVERY_MS = 200

/**
 * Asks for the server's health five times a second, each time over a new connection, as Kubernetes and load balancers
 * do. `ended` stops it, and returns the milliseconds of each check until its answer, the shortest first.
 */
export function probeHealth(url: string): { ended(): Promise<number[]> } {
  const checks: Promise<number>[] = []
  const timer = setInterval(() => checks.push(check(`${url}/health/live`)), EVERY_MS)
  return {
    async ended() {
      clearInterval(timer)
      return (await Promise.all(checks)).sort((a, b) => a - b)
    },
  }
}

async function check(url: string): Promise<number> {
  const began = performance.now()
  const [answer] = await once(request(url, { agent: false }).end(), 'response')
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
  return performance.now() - began
}

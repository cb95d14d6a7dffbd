import { setTimeout as wait } from 'node:timers/promises'
import { isRefusal, probe } from './probe.ts'

export interface Outage {
  name: string
  begin(): Promise<unknown> | unknown
  end(): Promise<unknown> | unknown
}

interface PlayedOutage extends Outage {
  apis: readonly string[]
  token: string
  seconds: number
  /** The limits for an answer meanwhile, and for normal service after the end. */
  answeredWithinMs: number
  normalWithinMs: number
  /** A merchant account whose requests must not notice it. */
  spared?: string | undefined
}

/** One outage under load. Prints a line about it, and answers what was not as it has to be. */
export async function playOutage(outage: PlayedOutage): Promise<string[]> {
  const { name, begin, end, apis, token, seconds, answeredWithinMs, normalWithinMs, spared } = outage
  const probing = probe(apis, token, { write: true })
  const other = spared === undefined ? undefined : probe(apis, token, { write: true, account: spared })
  await wait(500)
  await begin()
  await wait(seconds * 1_000).finally(end)
  const back = performance.now()
  await wait(normalWithinMs + 1_000)
  await Promise.all([probing.stop(), other?.stop()])
  const probes = probing.answered
  const notSpared = other?.answered.filter(isRefusal) ?? []
  const refused = probes.filter(isRefusal)
  const slowest = Math.round(Math.max(...refused.map(({ ms }) => ms), 0))
  const lastRefused = Math.round(Math.max(...refused.map(({ at, ms }) => at + ms - back), 0))
  console.log(
    `${name}: ${refused.length} of ${probes.length} refused, the slowest after ${slowest} ms; normal ${lastRefused} ms after its return`,
  )
  const odd = refused.filter(({ status }) => status !== 503)
  return [
    ...(odd.length > 0
      ? [`${odd.length} were answered ${[...new Set(odd.map(({ status }) => status))]}`]
      : []),
    ...(slowest > answeredWithinMs ? [`an answer took ${slowest} ms`] : []),
    ...(lastRefused > normalWithinMs ? [`refused ${lastRefused} ms after its return`] : []),
    ...(notSpared.length > 0 ? [`${notSpared.length} of another account were refused`] : []),
    ...(refused.length === 0 ? ['no request noticed it'] : []),
  ].map((finding) => `${name}: ${finding}`)
}

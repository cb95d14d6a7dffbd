import type { Generator, Load } from '../load.ts'
import type { Measured } from '../rounds.ts'

/** Runs a load and divides its cost by its requests. */
export async function measureLoad(generator: Generator, load: Load, cpuMs: () => number): Promise<Measured> {
  const before = cpuMs()
  const { requests, errors, seconds, p50, p99 } = await generator.ask(load)
  return { rate: requests / seconds, p50, p99, errors, cpuMs: (cpuMs() - before) / requests }
}

import { refuseUnknownSettings, type Settings } from '../settings.ts'
import { serveTests } from '../testing/serve.ts'

/**
 * `railyard testing`: the process that `startRailyard` of `railyard/testing` starts. It ends at once if
 * another process serves the tests already.
 */
export async function testing(
  settings: Settings,
  { socket, idleMs, named }: { socket: string; idleMs: string; named: string[] },
): Promise<void> {
  refuseUnknownSettings(named)
  await serveTests(settings, { socket, idleMs: Number(idleMs) })
  process.exit(0)
}

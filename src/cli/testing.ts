import { refuseUnknownSettings, type Settings } from '../settings.ts'
import { serveTests } from '../testing/serve.ts'

/** `railyard testing`: what `startRailyard` of `railyard/testing` starts. Where another process serves already, this one has nothing to do. */
export async function testing(settings: Settings, { socket, idleMs, named }: { socket: string; idleMs: string; named: string[] }): Promise<void> {
  refuseUnknownSettings(named)
  await serveTests(settings, { socket, idleMs: Number(idleMs) })
  process.exit(0)
}

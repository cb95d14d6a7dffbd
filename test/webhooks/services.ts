import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import type { Client } from '../crash/client.ts'
import { launch, type Running } from '../crash/process.ts'
import { READ_EVERY, setAhead } from './clock.ts'

/** The processes of one instance, on one clock. Each serves the API and sends webhooks. */
export interface Services {
  /** SIGKILL; the others carry on, and another takes its place. Resolves when that is ready. */
  killOne(): Promise<void>
  /** Time passes, for all of them at once. */
  pass(ms: number): Promise<void>
  /** What they said and how they ended. */
  stop(): Promise<{ code: number | null; output: string }[]>
}

const MONTH_SECONDS = 31 * 86_400

export async function startServices(
  count: number,
  folder: string,
  env: Record<string, string> & { DATA_DIR: string },
  client: Client,
): Promise<Services> {
  const clockFile = join(folder, 'clock')
  let ahead = 0
  setAhead(clockFile, ahead)
  const begin = () => {
    const cached = { ...env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
    return launch(['test/webhooks/railyard.process.ts', clockFile], cached, /API (http\S+)\n/)
  }
  const reach = async ({ ready }: Running) => {
    const signer = await readSigner(await readFile(privateKeyFile({ dataDir: env.DATA_DIR }), 'utf8'))
    const token = await signToken(
      signer,
      { scopes: ['*.read', '*.write'], expiresIn: MONTH_SECONDS },
      Date.now() + ahead,
    )
    client.reach((await ready).url, token)
  }
  const first = begin()
  await first.ready
  const running = [first, ...Array.from({ length: count - 1 }, begin)]
  await Promise.all(running.map(({ ready }) => ready))
  await reach(first)
  return {
    async killOne() {
      const killed = running.shift()
      killed?.kill()
      if (running[0]) await reach(running[0])
      await killed?.ended
      const next = begin()
      running.push(next)
      await next.ready
      if (running[0]) await reach(running[0])
    },
    async pass(ms) {
      // ids are made of whole milliseconds
      ahead += Math.round(ms)
      setAhead(clockFile, ahead)
      await wait(2 * READ_EVERY)
      if (running[0]) await reach(running[0])
    },
    stop: () => Promise.all(running.map((each) => each.stop())),
  }
}

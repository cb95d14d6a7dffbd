import { renameSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { FolderInUse, lockFolder } from '../database/embedded/folder-lock.ts'
import { createLog } from '../observability/log.ts'
import { type Railyard, startRailyard } from '../process/railyard.ts'
import type { Settings } from '../settings.ts'
import { leaveMerchant, openMerchant, type TestMerchant } from './merchant.ts'

/** What a test says first, in one line of JSON; nothing follows. */
const Hello = Type.Object({ receiver: Type.String() }, { additionalProperties: false })
const hello = Compile(Hello)

/** What it is answered, in one line of JSON. The merchant is the test's for as long as it stays connected. */
export type Welcome = TestMerchant & { url: string }

export interface ServeOptions {
  /** The Unix socket that tests connect to, in a folder that only this user can look into. */
  socket: string
  /** Milliseconds without a test after which the process ends; the next test run finds it ready until then. */
  idleMs: number
}

/**
 * An instance in memory for the tests of this machine, one for all that name the same socket: each is a merchant of its own. It lives for as long as tests
 * are connected, which the kernel knows whatever becomes of them. Answers false where another process has the socket.
 */
export async function serveTests(settings: Settings, { socket, idleMs }: ServeOptions): Promise<boolean> {
  const folder = dirname(socket)
  const lock = tryLockFolder(folder)
  if (!lock) return false
  const dataDir = join(folder, 'data')
  // whoever left them is dead: the lock is ours
  for (const left of [socket, dataDir]) await rm(left, { recursive: true, force: true })
  await mkdir(dataDir, { mode: 0o700 })
  const stopped = Promise.withResolvers<void>()
  const tests = new Set<Socket>()
  let idle: NodeJS.Timeout | undefined
  const rest = () => {
    idle = tests.size === 0 ? setTimeout(stopped.resolve, idleMs) : undefined
  }
  // tests may knock while it starts, and wait for their answer
  const starting = startRailyard({ ...settings, dataDir, port: 0 }, { inMemory: true, log: createLog('warn') })
  const server = createServer((test) => {
    clearTimeout(idle)
    tests.add(test)
    serveTest(test, starting)
      .catch(() => test.destroy())
      .finally(() => {
        tests.delete(test)
        rest()
      })
  })
  const close = () => {
    server.close()
    for (const test of tests) test.destroy()
  }
  server.listen(socket)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.resolve())
  try {
    const railyard = await starting
    rest()
    await stopped.promise
    // who comes from here on starts another process
    close()
    await railyard.close()
  } catch (error) {
    // its log stays, for who waits for the start
    close()
    await rm(dataDir, { recursive: true, force: true })
    lock.release()
    throw error
  }
  // out of the way in one step: whoever starts another process from here on makes the folder anew, and loses nothing in it
  const gone = `${folder}-${process.pid}`
  renameSync(folder, gone)
  lock.release()
  await rm(gone, { recursive: true, force: true })
  return true
}

function tryLockFolder(folder: string) {
  try {
    return lockFolder(folder, 'an instance for tests', 'it is shared')
  } catch (error) {
    if (error instanceof FolderInUse) return undefined
    throw error
  }
}

/** One test, from its first word until it is gone. */
async function serveTest(test: Socket, starting: Promise<Railyard>): Promise<void> {
  const gone = new Promise<void>((resolve) => test.once('close', () => resolve()))
  test.on('error', () => undefined)
  const said = await Promise.race([firstLine(test), gone])
  const { receiver } = said === undefined ? { receiver: undefined } : readIntroduction(said)
  if (receiver === undefined) return void test.destroy()
  const { world, url } = await starting
  const merchant = await openMerchant(world, receiver)
  test.write(`${JSON.stringify({ url, ...merchant } satisfies Welcome)}\n`)
  await gone
  await leaveMerchant(world, merchant.account)
}

const firstLine = (test: Socket) => new Promise<string>((resolve) => createInterface(test).once('line', resolve))

function readIntroduction(line: string): Partial<Static<typeof Hello>> {
  try {
    const said: unknown = JSON.parse(line)
    return hello.Check(said) ? said : {}
  } catch {
    return {}
  }
}

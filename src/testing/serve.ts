import { renameSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Static, Type } from 'typebox'
import { Compile } from '../base/compile.ts'
import { FolderInUse, lockFolder } from '../database/embedded/folder-lock.ts'
import { createLog } from '../observability/log.ts'
import { type Railyard, startRailyard } from '../process/railyard.ts'
import type { Settings } from '../settings.ts'
import { prepareForks } from './forks.ts'
import { leaveMerchant, openMerchant, redirectWebhooks, type TestMerchant } from './merchant.ts'

/**
 * The first line of a test, in JSON: the URL of its webhook receiver; for a copy of an instance, also which one,
 * for which merchant account, and the receiver of the webhooks there. No other line follows.
 */
const Introduction = Type.Object(
  {
    receiver: Type.String(),
    fork: Type.Optional(
      Type.Object(
        { url: Type.String(), account: Type.String(), receiver: Type.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
type Introduction = Static<typeof Introduction>
const introduction = Compile(Introduction)

/**
 * The answer to a test, one line of JSON. The merchant account is the test's as long as it stays connected. A
 * copy has the merchant account of the original.
 */
export type Welcome = (TestMerchant & { url: string }) | { url: string }

export interface ServeOptions {
  /** The Unix socket that tests connect to, in a folder that only this user can read. */
  socket: string
  /** The process ends after this many milliseconds without a test; a test run before that finds it ready. */
  idleMs: number
}

/**
 * Runs an instance in memory for the tests of this machine, one for all that connect to the same socket; each
 * test gets a merchant account of its own. The instance ends when no test is connected; the kernel closes the
 * connection of a test that was killed. Answers false if another process has the socket.
 */
export async function serveTests(settings: Settings, { socket, idleMs }: ServeOptions): Promise<boolean> {
  const folder = dirname(socket)
  const lock = tryLockFolder(folder)
  if (!lock) return false
  const dataDir = join(folder, 'data')
  // files of a process that was killed: this one has the lock
  for (const path of [socket, dataDir]) await rm(path, { recursive: true, force: true })
  await mkdir(dataDir, { mode: 0o700 })
  const stopped = Promise.withResolvers<void>()
  const tests = new Set<Socket>()
  let idle: NodeJS.Timeout | undefined
  const stopWhenIdle = () => {
    idle = tests.size === 0 ? setTimeout(stopped.resolve, idleMs) : undefined
  }
  // tests may connect while the instance starts, and wait for their answer
  const starting = startRailyard(
    { ...settings, dataDir, port: 0 },
    { inMemory: true, log: createLog('warn') },
  )
  const instances = starting.then(serveInstances)
  instances.catch(() => undefined) // the start is awaited below
  const server = createServer((test) => {
    clearTimeout(idle)
    tests.add(test)
    serveTest(test, instances)
      .catch(() => test.destroy())
      .finally(() => {
        tests.delete(test)
        stopWhenIdle()
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
    stopWhenIdle()
    await stopped.promise
    // a test that comes from here on starts another process
    close()
    await (await instances).close()
    await railyard.close()
  } catch (error) {
    // the log stays, for the test that waits for the start
    close()
    await rm(dataDir, { recursive: true, force: true })
    lock.release()
    throw error
  }
  // renamed in one step: a process that starts from here on makes a new folder, in which this one deletes
  // nothing
  const removed = `${folder}-${process.pid}`
  renameSync(folder, removed)
  lock.release()
  await rm(removed, { recursive: true, force: true })
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

/** What a test has while it is connected. */
interface Served {
  welcome: Welcome
  leave(): Promise<void>
}

/** Serves one test, from its first line until it disconnects. */
async function serveTest(test: Socket, instances: Promise<Instances>): Promise<void> {
  const disconnected = new Promise<void>((resolve) => test.once('close', () => resolve()))
  test.on('error', () => undefined)
  const line = await Promise.race([firstLine(test), disconnected])
  const asked = line === undefined ? undefined : readIntroduction(line)
  if (asked === undefined) return void test.destroy()
  const { open, fork } = await instances
  const { welcome, leave } = asked.fork ? await fork(asked.receiver, asked.fork) : await open(asked.receiver)
  test.write(`${JSON.stringify(welcome)}\n`)
  await disconnected
  await leave()
}

/** The instance that tests share, and the copies that they have made. */
interface Instances {
  /** Opens a merchant account. */
  open(receiver: string): Promise<Served>
  /** Copies an instance. */
  fork(receiver: string, original: NonNullable<Introduction['fork']>): Promise<Served>
  /** Waits for copies that are being closed. */
  close(): Promise<void>
}

function serveInstances(shared: Railyard): Instances {
  const forks = prepareForks(shared)
  const running = new Map([[shared.url, shared]])
  const closing = new Set<Promise<void>>()
  return {
    async open(receiver) {
      const { world, url } = shared
      const merchant = await openMerchant(world, receiver)
      return { welcome: { url, ...merchant }, leave: () => leaveMerchant(world, merchant.account) }
    },
    async fork(receiver, { url, account, receiver: before }) {
      const original = running.get(url)
      if (!original) throw new Error(`no instance listens at ${url}`)
      const copy = await forks.fork(original, async (parts) => {
        await redirectWebhooks(parts.world, { account, from: before, to: receiver })
      })
      running.set(copy.url, copy)
      const leave = async () => {
        running.delete(copy.url)
        const closed = copy.close()
        closing.add(closed)
        await closed.finally(() => closing.delete(closed))
      }
      return { welcome: { url: copy.url }, leave }
    },
    async close() {
      for (const [url, copy] of running) if (url !== shared.url) await copy.close()
      await Promise.allSettled(closing)
      await forks.close()
    },
  }
}

const firstLine = (test: Socket) =>
  new Promise<string>((resolve) => createInterface(test).once('line', resolve))

/** Undefined: the line is not an introduction. */
function readIntroduction(line: string): Introduction | undefined {
  try {
    const parsed: unknown = JSON.parse(line)
    return introduction.Check(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

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

/** The first line of a test, in JSON: the URL of its webhook receiver. No other line follows. */
const Introduction = Type.Object({ receiver: Type.String() }, { additionalProperties: false })
const introduction = Compile(Introduction)

/**
 * The answer to a test, one line of JSON. The merchant account is the test's as long as it stays connected.
 */
export type Welcome = TestMerchant & { url: string }

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
  const server = createServer((test) => {
    clearTimeout(idle)
    tests.add(test)
    serveTest(test, starting)
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

/** Serves one test, from its first line until it disconnects. */
async function serveTest(test: Socket, starting: Promise<Railyard>): Promise<void> {
  const disconnected = new Promise<void>((resolve) => test.once('close', () => resolve()))
  test.on('error', () => undefined)
  const line = await Promise.race([firstLine(test), disconnected])
  const receiver = line === undefined ? undefined : readIntroduction(line)?.receiver
  if (receiver === undefined) return void test.destroy()
  const { world, url } = await starting
  const merchant = await openMerchant(world, receiver)
  test.write(`${JSON.stringify({ url, ...merchant } satisfies Welcome)}\n`)
  await disconnected
  await leaveMerchant(world, merchant.account)
}

const firstLine = (test: Socket) =>
  new Promise<string>((resolve) => createInterface(test).once('line', resolve))

/** Undefined: the line is not an introduction. */
function readIntroduction(line: string): Static<typeof Introduction> | undefined {
  try {
    const parsed: unknown = JSON.parse(line)
    return introduction.Check(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../crash/client.ts'
import type { Service } from '../crash/compare.ts'
import { freePort, freshToken } from '../crash/crashes.ts'
import { type Ended, launchRole, launchSimulator, type Running, underLoad } from '../crash/process.ts'
import { ownDatabase } from '../support/railyard.ts'
import { type Balancer, startBalancer } from './balancer.ts'

type Role = 'api' | 'worker'

/** A process of the fleet. Its port is the same when it is started again. */
export interface Member {
  role: Role
  port: number
  process: Running
  /** The end of each of its runs, with its output. */
  ended: Promise<Ended>[]
}

/** Several processes on one PostgreSQL and one sandbox, the API behind a load balancer. */
export interface Fleet extends Service {
  members: Member[]
  /** The URLs of the processes that answer, for tests that choose one. */
  apis: string[]
  balancer: Balancer
  client: Client
  /** The common environment, without role and port. */
  env: Record<string, string> & { DATA_DIR: string }
  sandboxUrl: string
  booksFile: string
  /** Starts one again that has ended, and waits until it is ready. */
  restart(member: Member): Promise<void>
  /** Processes that are started from now on are of the version in this folder. */
  runFrom(folder: string): void
  close(): Promise<void>
}

const PENDING_MS = 1_500

interface FleetOptions {
  apis: number
  workers: number
  env?: Record<string, string>
  /** Where the version that runs at first is; absent: this one. */
  folder?: string
  /** Changes the URL of the database of the processes. */
  way?(databaseUrl: string): Promise<string>
}

export async function startFleet({
  apis,
  workers,
  env: more = {},
  folder: versionAtFirst,
  way = async (url) => url,
}: FleetOptions): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-fleet-'))
  const database = await ownDatabase(process.env['TEST_DATABASE_TEMPLATE'])
  if (!database)
    throw new TypeError('several processes need a PostgreSQL: run it under scripts/with-postgres.sh')
  const booksFile = join(folder, 'books.jsonl')
  const simulator = launchSimulator(booksFile, PENDING_MS)
  const { url: sandboxUrl } = await simulator.ready
  const roles: Role[] = [...Array<Role>(apis).fill('api'), ...Array<Role>(workers).fill('worker')]
  const places = await Promise.all(roles.map(async (role) => ({ role, port: await freePort() })))
  const balancer = await startBalancer(places.flatMap(({ role, port }) => (role === 'api' ? [port] : [])))
  const env = {
    RAILYARD_ENV: 'sandbox',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '10',
    PUBLIC_URL: balancer.url,
    SANDBOX_URL: sandboxUrl,
    ...underLoad,
    ...more,
  }
  const theirs = { ...env, DATABASE_URL: await way(database.url) }
  let version = versionAtFirst
  const begin = ({ role, port }: { role: Role; port: number }) =>
    launchRole(role, { ...theirs, PORT: String(port) }, version)
  const members = places.map((place): Member => {
    const process = begin(place)
    return { ...place, process, ended: [process.ended] }
  })
  const client = createClient()
  /** It serves, and clients of the balancer reach it. */
  const serves = async ({ process, role, port }: Member) => {
    await process.ready
    if (role === 'api') await balancer.reaches(port)
  }
  const restart = async (member: Member) => {
    member.process = begin(member)
    member.ended.push(member.process.ended)
    await serves(member)
  }
  const close = async () => {
    await client.close()
    await balancer.close()
    await Promise.all(members.map(({ process }) => process.stop()))
    await simulator.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(members.map(serves))
    client.reach(balancer.url, await freshToken(env))
  } catch (error) {
    await close()
    throw error
  }
  return {
    members,
    apis: members.flatMap(({ role, port }) => (role === 'api' ? [`http://127.0.0.1:${port}`] : [])),
    balancer,
    client,
    env,
    sandboxUrl,
    booksFile,
    restart,
    runFrom(newer) {
      version = newer
    },
    stop: () => Promise.all(members.map(({ process }) => process.stop())),
    start: async () => void (await Promise.all(members.map(restart))),
    close,
  }
}

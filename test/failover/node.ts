import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../crash/crashes.ts'
import { startProxy, type Way } from '../postgres/proxy.ts'
import { serverProcesses, signal } from '../processes/postgres-server.ts'
import { postgresPrograms } from '../support/own-postgres.ts'

/** How a primary fails. `partitioned`: cut from etcd and the other nodes, but not from Railyard. */
export const failures = ['killed', 'frozen', 'isolated', 'partitioned'] as const
export type NodeFailure = (typeof failures)[number]

/** A PostgreSQL with its Patroni. Everything from outside comes through ways that can be cut. */
export interface Node {
  name: string
  /** Where Railyard and HAProxy reach PostgreSQL and Patroni. */
  clientPort: number
  restPort: number
  fail(how: NodeFailure): void
  mend(): void
  /** SIGKILL for everything; also of what is frozen. */
  kill(): void
  close(): Promise<void>
}

/** The user that runs PostgreSQL and Patroni; as root it is `postgres`. */
export interface Owner {
  uid?: number
  gid?: number
}

/** What `docs/operations/high-availability.md` shows, with the addresses of this node. */
const patroniConfiguration = (name: string, folder: string, ports: Record<string, number>) => ({
  scope: 'railyard',
  name,
  restapi: { listen: `127.0.0.1:${ports['rest']}`, connect_address: `127.0.0.1:${ports['restWay']}` },
  // version 2 of the API: with version 3, Patroni 3.0 lets a frozen primary that wakes up take the key back
  etcd: { host: `127.0.0.1:${ports['etcdWay']}`, use_proxies: true },
  bootstrap: {
    dcs: {
      ttl: 20,
      loop_wait: 3,
      retry_timeout: 5,
      synchronous_mode: true,
      synchronous_node_count: 1,
      postgresql: {
        use_pg_rewind: true,
        parameters: {
          max_connections: 200,
          wal_sender_timeout: '5s',
          wal_receiver_timeout: '5s',
          wal_retrieve_retry_interval: '1s',
          wal_keep_size: '256MB',
          hot_standby_feedback: 'on',
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
  },
  postgresql: {
    listen: `127.0.0.1:${ports['postgres']}`,
    connect_address: `127.0.0.1:${ports['peerWay']}`,
    data_dir: join(folder, 'data'),
    bin_dir: postgresPrograms(),
    pgpass: join(folder, 'pgpass'),
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: folder },
    pg_hba: [
      'host all all 127.0.0.1/32 trust',
      'host replication all 127.0.0.1/32 trust',
      'local all all trust',
    ],
    remove_data_directory_on_rewind_failure: true,
    remove_data_directory_on_diverged_timelines: true,
  },
})

export async function startNode(name: string, folder: string, etcdPort: number, owner: Owner): Promise<Node> {
  const postgres = await freePort()
  const rest = await freePort()
  const ways = {
    clientWay: await startProxy('127.0.0.1', postgres),
    peerWay: await startProxy('127.0.0.1', postgres),
    restWay: await startProxy('127.0.0.1', rest),
    etcdWay: await startProxy('127.0.0.1', etcdPort),
  } satisfies Record<string, Way>
  const ports = {
    postgres,
    rest,
    ...Object.fromEntries(Object.entries(ways).map(([way, { port }]) => [way, port])),
  }
  const file = join(folder, 'patroni.yml')
  await writeFile(file, stringify(patroniConfiguration(name, folder, ports)))
  const log = openSync(join(folder, 'patroni.log'), 'a')
  const start = () => spawn('patroni', [file], { ...owner, cwd: folder, stdio: ['ignore', log, log] })
  let patroni = start()
  const all = () => [patroni.pid ?? 0, ...serverProcesses(join(folder, 'data'))]
  const kill = () => {
    for (const pid of all()) signal(pid, 'SIGKILL')
  }
  const cut: Record<NodeFailure, readonly Way[]> = {
    killed: [],
    frozen: [],
    isolated: Object.values(ways),
    partitioned: [ways.peerWay, ways.restWay, ways.etcdWay],
  }
  let failure: NodeFailure | undefined
  return {
    name,
    clientPort: ways.clientWay.port,
    restPort: ways.restWay.port,
    fail(how) {
      failure = how
      if (how === 'killed') kill()
      if (how === 'frozen') for (const pid of all()) signal(pid, 'SIGSTOP')
      for (const way of cut[how]) way.fail('black hole')
    },
    mend() {
      if (failure === 'killed') patroni = start()
      if (failure === 'frozen') for (const pid of all().toReversed()) signal(pid, 'SIGCONT')
      for (const way of Object.values(ways)) way.mend()
      failure = undefined
    },
    kill,
    async close() {
      kill()
      for (const way of Object.values(ways)) await way.close()
    },
  }
}

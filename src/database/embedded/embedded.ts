import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import type { DatabaseFiles, WorkerAnswer, WorkerRequest } from './embedded-worker.ts'
import { lockFolder } from './folder-lock.ts'

export interface Embedded {
  pool: pg.Pool
  /** Waits for clients that are still in use, writes a checkpoint, and releases the folder. */
  close(): Promise<void>
}

const REMEDY =
  'ask its API instead, stop that process first, or use PostgreSQL (DATABASE_URL), which many can use'

/**
 * Opens PostgreSQL inside this process, with its files in `folder/database`. An acknowledged commit is on the
 * disk. `types` parses columns; by default as `pg` does. Throws `FolderInUse` if another process, or this
 * one, has the folder open.
 */
export async function openEmbedded(folder: string, types?: pg.CustomTypesConfig): Promise<Embedded> {
  // PostgreSQL does not refuse a second PGlite on the same files, which would destroy them: take the lock
  // before touching any of them.
  const lock = lockFolder(folder, 'the embedded database', REMEDY)
  try {
    const session = await openSession({ folder: join(folder, 'database') })
    const pool = connect(session, types)
    const close = async () => {
      await pool.end()
      await session.close().finally(lock.release)
    }
    return { pool, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * One connection, because there is one session. Emits `error` if the database dies while no statement is
 * running: without a listener that ends the process, and a restart recovers.
 */
export function connect(session: Session, types?: pg.CustomTypesConfig): pg.Pool {
  const pool = new pg.Pool({
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    pipeline: true,
    ...(types && { types }),
    stream: () => socketTo(session),
  })
  pool.on('release', (error, client) => {
    if (!error && client.getTransactionStatus() !== 'I') rollBack(client)
  })
  return pool
}

/**
 * With one session, a transaction left open would contain the commits of all later clients. Runs before the
 * statements of the next client.
 */
function rollBack(client: pg.PoolClient): void {
  client.query('ROLLBACK').catch(() => undefined) // fails only with the connection, which the pool notices by itself
}

/** PostgreSQL in a thread of this process. */
export interface Session {
  /** Resolves in the order of the calls. Rejects once the worker has died. */
  exchange(batch: Buffer): Promise<Buffer>
  /** Resolves with the reason when the worker dies, also while no call is waiting. */
  died: Promise<Error>
  /** The files of a database in memory as a tar archive. Send no statement meanwhile. */
  dump(): Promise<Buffer>
  /** The rows of all tables of a database in memory. Send no statement meanwhile. */
  readRows(): Promise<Buffer>
  /** Replaces all rows by those of another database of the same schema. Send no statement meanwhile. */
  replaceRows(rows: Buffer): Promise<void>
  /** Whether the open database keeps the process alive; at first it does. */
  keepProcessAlive(holds: boolean): void
  close(): Promise<void>
}

/**
 * Starts the worker thread that runs SQL and fsync away from the event loop; resolves when the database is
 * open.
 */
export async function openSession(files: DatabaseFiles): Promise<Session> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: files })
  const waiting: PromiseWithResolvers<Buffer>[] = []
  const died = Promise.withResolvers<Error>()
  let death: Error | undefined

  const expectAnswer = () => {
    const answer = Promise.withResolvers<Buffer>()
    waiting.push(answer)
    return answer.promise
  }
  const ask = (request: WorkerRequest) => {
    if (death) return Promise.reject(death)
    worker.postMessage(request, request instanceof Uint8Array ? [request.buffer] : [])
    return expectAnswer()
  }
  const die = (reason: unknown) => {
    death ??= new Error(`The embedded database stopped: ${reason}`, { cause: reason })
    for (const answer of waiting.splice(0)) answer.reject(death)
    died.resolve(death)
  }
  worker.on('message', (answer: WorkerAnswer | object) => {
    if (typeof answer === 'string') die(answer)
    // under `node --watch`, Node sends messages about loaded modules over the same port
    else if (answer instanceof Uint8Array) waiting.shift()?.resolve(Buffer.from(answer.buffer))
  })
  worker.on('error', die)
  worker.on('exit', (code) => die(`its thread ended with code ${code}`))

  // The folder must not be released while the thread can still write to it.
  const stop = () => worker.terminate()
  await expectAnswer().catch((error) => stop().then(() => Promise.reject(error)))
  return {
    exchange: (batch) => ask(new Uint8Array(batch)),
    died: died.promise,
    dump: () => ask('dump'),
    readRows: () => ask('read-rows'),
    replaceRows: async (rows) => void (await ask({ rows })),
    keepProcessAlive: (holds) => (holds ? worker.ref() : worker.unref()),
    async close() {
      if (!death) await ask('close').finally(stop)
      else await stop()
    },
  }
}

/** A socket for `pg` that sends what is written to the session, and emits its answers. */
function socketTo(session: Session): Duplex {
  let written: Buffer[] = []
  // A query is many small messages; those that are written before the next microtask are sent as one.
  const flush = () => {
    const batch = Buffer.concat(written)
    written = []
    session.exchange(batch).then(
      (answer) => !socket.destroyed && answer.length > 0 && socket.push(answer),
      (error) => socket.destroy(error),
    )
  }
  const gather = (chunks: Buffer[]) => {
    if (written.length === 0) queueMicrotask(flush)
    written.push(...chunks)
  }
  const stream = new Duplex({
    allowHalfOpen: false,
    read() {},
    write(chunk, _encoding, done) {
      gather([chunk])
      done()
    },
    writev(chunks, done) {
      gather(chunks.map(({ chunk }) => chunk))
      done()
    },
    final(done) {
      stream.push(null)
      done()
    },
  })
  const itself = () => socket
  const socket: Duplex = Object.assign(stream, {
    connect() {
      process.nextTick(() => stream.emit('connect'))
    },
    setNoDelay: itself,
    setKeepAlive: itself,
    ref: itself,
    unref: itself,
  })
  session.died.then((error) => socket.destroy(error))
  return socket
}

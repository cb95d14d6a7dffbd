import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import type { DatabaseFiles, WorkerAnswer, WorkerRequest } from './embedded-worker.ts'
import { lockFolder } from './folder-lock.ts'

export interface Embedded {
  pool: pg.Pool
  /** Waits for clients still out of the pool, checkpoints, and gives the folder back. */
  close(): Promise<void>
}

const REMEDY = 'ask its API instead, stop that process first, or use PostgreSQL (DATABASE_URL), which many can use'

/**
 * Opens PostgreSQL inside this process, its files in `folder/database`. An acknowledged commit is on the disk. Throws `FolderInUse` when another process,
 * or this one, has the folder open. `types` says how columns are read; absent: as `pg` does.
 */
export async function openEmbedded(folder: string, types?: pg.CustomTypesConfig): Promise<Embedded> {
  // A second PGlite on the same files is not refused by PostgreSQL and destroys them, so the lock comes before any of them is touched.
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

/** One connection, because there is one session. Emits `error` when the database dies while nobody waits for it: unheard, that ends the process, and a restart recovers. */
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

/** A transaction left open would swallow the commits of everyone after it, as there is but one session. Runs before anything the next holder asks. */
function rollBack(client: pg.PoolClient): void {
  client.query('ROLLBACK').catch(() => undefined) // only fails with the connection, which the pool hears of by itself
}

/** PostgreSQL in a thread of this process. */
export interface Session {
  /** Answers come in the order of the calls. Rejects once the worker has died. */
  exchange(batch: Buffer): Promise<Buffer>
  /** Resolves with the reason when the worker dies, also while nobody waits for an answer. */
  died: Promise<Error>
  /** The files of a database in memory as a tar archive. Nothing may be asked of it meanwhile. */
  dump(): Promise<Buffer>
  /** Whether the process goes on for as long as it is open; at first it does. */
  keepProcessAlive(holds: boolean): void
  close(): Promise<void>
}

/** Starts the worker thread that runs SQL and fsync away from the event loop; resolves when the database is open. */
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
    worker.postMessage(request, typeof request === 'string' ? [] : [request.buffer])
    return expectAnswer()
  }
  const die = (reason: unknown) => {
    death ??= new Error(`The embedded database stopped: ${reason}`, { cause: reason })
    for (const answer of waiting.splice(0)) answer.reject(death)
    died.resolve(death)
  }
  worker.on('message', (answer: WorkerAnswer | object) => {
    if (typeof answer === 'string') die(answer)
    // under `node --watch`, Node's own messages about loaded modules come over the same port
    else if (answer instanceof Uint8Array) waiting.shift()?.resolve(Buffer.from(answer.buffer))
  })
  worker.on('error', die)
  worker.on('exit', (code) => die(`its thread ended with code ${code}`))

  // The folder must not be given back while the thread can still write to it.
  const stop = () => worker.terminate()
  await expectAnswer().catch((error) => stop().then(() => Promise.reject(error)))
  return {
    exchange: (batch) => ask(new Uint8Array(batch)),
    died: died.promise,
    dump: () => ask('dump'),
    keepProcessAlive: (holds) => (holds ? worker.ref() : worker.unref()),
    async close() {
      if (!death) await ask('close').finally(stop)
      else await stop()
    },
  }
}

/** What `pg` takes for a socket to a server: what it writes goes to the session, and the answer comes back. */
function socketTo(session: Session): Duplex {
  let written: Buffer[] = []
  // A query is many small messages; all that is written before the next microtask goes over in one.
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

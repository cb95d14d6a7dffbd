import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { readTar, shrinkArchive } from './snapshot.ts'
import { type Replacement, readRows, replaceRows } from './table-rows.ts'

/**
 * Bytes of the Postgres protocol, whole messages only; the request to checkpoint and close; or, of a database
 * in memory, for its files as a tar archive, for the rows of all its tables, or to replace these by the rows of
 * another database.
 */
export type WorkerRequest = Uint8Array<ArrayBuffer> | 'close' | 'dump' | 'read-rows' | { rows: Uint8Array }

/** The data that the thread gets at its start. */
export interface DatabaseFiles {
  /** The folder of the files; absent: in memory. */
  folder?: string
  /**
   * A tar archive, not compressed, from which a database in memory starts instead of the template: the result
   * of `dump`.
   */
  snapshot?: string
}

/**
 * One answer in bytes for each request, in order. The first answer, before any request, says that the
 * database is open. A text is the reason for which the worker dies.
 */
export type WorkerAnswer = Uint8Array<ArrayBuffer> | string

const template = new URL('./template.tgz', import.meta.url)

// 128 MB, PostgreSQL's own choice, costs 190 MB more of resident memory when idle, and the file system caches
// the same pages.
const buffers = ['-c', 'shared_buffers=32MB']

// Without `-F`, which turns fsync off. PGlite's fdatasync does nothing, so the WAL must go through fsync.
const durably = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'synchronous_commit=on'],
]

const port = parentPort
if (!port) throw new Error('embedded-worker.ts runs as a worker thread')

const send = (answer: WorkerAnswer) =>
  port.postMessage(answer, typeof answer === 'string' ? [] : [answer.buffer])

/** Ends the thread: PGlite catches errors that are thrown through it and continues. */
function die(reason: string): never {
  send(reason)
  process.exit(1)
}

/** The last message of PostgreSQL before it gave up; PGlite's own errors do not contain it. */
let lastErrorText = 'no reason given'

function onStderr(text: string): boolean {
  if (/FATAL|PANIC/.test(text)) lastErrorText = text
  return false
}

type FileSystemOptions = Parameters<NodeFS['init']>[1]

/** PGlite's files in a folder, with an fsync that reaches the disk; PGlite's own NodeFS ignores it. */
class DurableFolder extends NodeFS {
  override async init(database: PGlite, options: FileSystemOptions) {
    const { emscriptenOpts } = await super.init(database, options)
    emscriptenOpts.onAbort = () => die(`PostgreSQL aborted: ${lastErrorText}`)
    emscriptenOpts.preRun?.push(({ NODEFS }) => {
      Object.assign(NODEFS.stream_ops, { fsync: syncToDisk })
    })
    return { emscriptenOpts }
  }
}

/**
 * After a failed fsync the kernel may have dropped the pages, so a second try proves nothing: only a restart,
 * which replays the WAL, does.
 */
function syncToDisk({ nfd }: { nfd: number }): number {
  try {
    fs.fdatasyncSync(nfd)
    return 0
  } catch (error) {
    return die(`the disk refused an fsync: ${error}`)
  }
}

/**
 * initdb takes 2.3 s and 900 MB; the template is its result. It is unpacked under another name and then
 * renamed, so that a crash leaves no incomplete database.
 */
function unpackTemplate(folder: string): void {
  const partial = `${folder}.partial`
  fs.rmSync(partial, { recursive: true, force: true })
  fs.mkdirSync(partial, { mode: 0o700 })
  const folders = [partial]
  for (const { name, isFolder, content } of readTar(gunzipSync(fs.readFileSync(template)))) {
    const path = join(partial, name)
    if (isFolder) {
      fs.mkdirSync(path, { mode: 0o700 })
      folders.push(path)
    } else fs.writeFileSync(path, content, { mode: 0o600, flush: true })
  }
  folders.forEach(syncFolder)
  fs.renameSync(partial, folder)
  syncFolder(dirname(folder))
}

function syncFolder(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

async function openDatabase({ folder, snapshot }: DatabaseFiles): Promise<PGlite> {
  if (folder === undefined)
    return PGlite.create({
      loadDataDir: snapshot
        ? new Blob([fs.readFileSync(snapshot)], { type: 'application/x-tar' })
        : new Blob([fs.readFileSync(template)], { type: 'application/gzip' }),
      startParams: [...PGlite.defaultStartParams, ...buffers],
    })
  if (!fs.existsSync(join(folder, 'PG_VERSION'))) unpackTemplate(folder)
  return PGlite.create({ fs: new DurableFolder(folder), startParams: [...durably, ...buffers], onStderr })
}

const database = await openDatabase(workerData).catch((error) => {
  throw new Error(`PostgreSQL did not start: ${lastErrorText}`, { cause: error })
})

/**
 * Runs a batch of messages and returns PostgreSQL's answer. Streamed, because PGlite's other calls parse each
 * answer and never release it.
 */
async function run(batch: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  await database.execProtocolRawStream(batch, {
    syncToFs: false,
    onRawData: (part) => parts.push(new Uint8Array(part)),
  })
  const [only] = parts
  if (only && parts.length === 1) return only
  const answer = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let length = 0
  for (const part of parts) {
    answer.set(part, length)
    length += part.length
  }
  return answer
}

const SYNC = Buffer.from('S\0\0\0\x04')
/** The message of a query of fewer than 123 ASCII characters: its length is one byte of UTF-8. */
const query = (sql: string) => Buffer.from(`Q\0\0\0${String.fromCharCode(sql.length + 5)}${sql}\0`)

/**
 * All clients share the one session: the next one must not inherit the last one's state, above all an open
 * transaction.
 */
async function reset(): Promise<void> {
  for (const message of [SYNC, query('ROLLBACK'), query('DISCARD ALL')]) await run(message)
}

async function close(): Promise<void> {
  clearInterval(checkpoints)
  await reset()
  await run(query('CHECKPOINT'))
  await database.close()
}

/**
 * The files after a checkpoint, so that a start has nothing to replay, in an almost empty segment of the WAL.
 */
async function dump(): Promise<Uint8Array<ArrayBuffer>> {
  await run(query('SELECT pg_switch_wal()'))
  await run(query('CHECKPOINT'))
  const { rows } = await database.query<{ segment: string }>(
    'select pg_walfile_name(pg_current_wal_insert_lsn()) as segment',
  )
  const archive = await (await database.dumpDataDir('none')).arrayBuffer()
  return new Uint8Array(shrinkArchive(Buffer.from(archive), rows[0]?.segment ?? ''))
}

const CHECKPOINT_INTERVAL_MS = 60_000
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)
let unsaved = false
let betweenQueries = true
let inTransaction = false

/**
 * A session without a postmaster never checkpoints by itself: its WAL, and the time to recover, would grow
 * for as long as the process lives.
 */
async function checkpoint(): Promise<void> {
  if (!unsaved || !betweenQueries) return
  unsaved = false
  await run(query('CHECKPOINT'))
}

/**
 * PostgreSQL gives up if the disk has no room for its WAL, and the process with it. So writing statements are
 * refused before that (25006), while reading ones go on. The WAL grows by 16 MB at a time; a checkpoint and
 * running statements need some more.
 */
const RESERVE_BYTES = 40 * 1024 * 1024
const LOOK_INTERVAL_MS = 20
let lookedAt = 0
let isFull = false

/** Only between two transactions: a rollback would undo it. */
async function watchSpace(folder: string): Promise<void> {
  const now = performance.now()
  if (inTransaction || now - lookedAt < LOOK_INTERVAL_MS) return
  lookedAt = now
  const { bavail, bsize } = fs.statfsSync(folder)
  const full = bavail * bsize < RESERVE_BYTES
  if (full === isFull) return
  isFull = full
  await run(query(`set default_transaction_read_only = ${full ? 'on' : 'off'}`))
}

const isStartup = (batch: Uint8Array) => batch[0] === 0

const { folder }: DatabaseFiles = workerData
let replaced: Replacement | undefined

port.on('message', async (request: WorkerRequest) => {
  if (request === 'close') {
    await close()
    return send(new Uint8Array())
  }
  if (request === 'dump') return send(await dump())
  if (request === 'read-rows') return send(await readRows(database))
  if ('rows' in request) {
    replaced = await replaceRows(database, request.rows, replaced)
    return send(new Uint8Array())
  }
  if (isStartup(request)) {
    await reset()
    isFull = false
  } else if (folder) await watchSpace(folder)
  const answer = await run(request)
  unsaved = true
  betweenQueries = answer.at(-6) === READY_FOR_QUERY
  inTransaction = !betweenQueries || answer.at(-1) !== IDLE
  send(answer)
})

const checkpoints = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS)

send(new Uint8Array())

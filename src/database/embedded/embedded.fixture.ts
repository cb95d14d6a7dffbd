/**
 * The other process in `embedded.test.ts`: `node embedded.fixture.ts <part> <folder>`. For `countFsyncs` it
 * is also loaded by `--import`, which reaches the worker thread, where it counts.
 */
import fs from 'node:fs'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { openEmbedded } from './embedded.ts'

const WAL_SEGMENT = 16 * 1024 * 1024
const WRITERS = 16

/** Opens the folder and holds it until killed. */
async function hold(folder: string) {
  await openEmbedded(folder)
  tell('open')
}

/** Inserts until killed; tells each id after its commit is acknowledged. */
async function write(folder: string) {
  const { pool } = await openEmbedded(folder)
  await pool.query('create table if not exists payments (id uuid primary key, body text)')
  const insertForever = async () => {
    for (;;) {
      const id = crypto.randomUUID()
      await pool.query('insert into payments values ($1, $2)', [id, 'x'.repeat(500)])
      tell(id)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, insertForever))
}

/** Commits 50 times, one by one, and tells how many fsyncs of the WAL that took. */
async function countFsyncs(folder: string) {
  const count = new Int32Array(new SharedArrayBuffer(4))
  setEnvironmentData('fsyncs', count)
  const { pool, close } = await openEmbedded(folder)
  await pool.query('create table payments (id int)')
  const before = count[0] ?? 0
  for (let id = 0; id < 50; id++) await pool.query('insert into payments values ($1)', [id])
  tell(String((count[0] ?? 0) - before))
  await close()
}

function countInThisThread(count: Int32Array) {
  const { fdatasyncSync } = fs
  fs.fdatasyncSync = (descriptor) => {
    fdatasyncSync(descriptor)
    if (fs.fstatSync(descriptor).size === WAL_SEGMENT) Atomics.add(count, 0, 1)
  }
}

// Synchronous, so that every line is written before the process is killed.
const tell = (line: string) => fs.writeSync(1, `${line}\n`)

const parts = new Map(Object.entries({ hold, write, countFsyncs }))
const [, , part = '', folder = ''] = process.argv
const fsyncs = getEnvironmentData('fsyncs')
if (isMainThread) await parts.get(part)?.(folder)
else if (fsyncs instanceof Int32Array) countInThisThread(fsyncs)

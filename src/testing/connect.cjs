// @ts-check

const { spawn } = require('node:child_process')
const { createHash, randomUUID } = require('node:crypto')
const {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} = require('node:fs')
const { connect: connectTo } = require('node:net')
const { tmpdir, userInfo } = require('node:os')
const { dirname, join, resolve } = require('node:path')
const { createInterface } = require('node:readline')
const { setTimeout: wait } = require('node:timers/promises')

/** @import { Socket } from 'node:net' */
/** @import { PaymentServices } from './testing.d.cts' */

/**
 * @typedef {{ url: string, account: string, privateKeyPem: string, keyId: string, webhookSecret: string,
 * paymentServices: PaymentServices }} Welcome
 */
/**
 * @typedef {{ ended: number | undefined }} Started `ended`: the exit code of the process; undefined: it runs.
 */
/** @typedef {{ receiver: string, isolated: boolean, settings: Record<string, string> }} Wanted */
/** @typedef {{ url: string, account: string, receiver: string }} Original An account of an instance, and where its webhooks go. */
/**
 * @typedef {object} Joined
 * @property {Welcome} welcome
 * @property {() => Promise<void>} leave
 * @property {(receiver: string, of: Original) => Promise<Joined>} fork
 */

const railyard = resolve(__dirname, '../..')
const { version } = require('../../package.json')
const IDLE_MS = 60_000
const START_TIMEOUT_MS = 60_000
const CONNECT_INTERVAL_MS = 15
const MAX_ATTEMPTS = 3

/**
 * Opens a merchant account in the instance that this machine's tests share, or in an instance of its own;
 * starts the instance if it does not run. The connection keeps the instance alive, but not this process.
 *
 * @param {Wanted} wanted
 * @returns {Promise<Joined>}
 */
async function connect({ receiver, isolated, settings }) {
  const folder = isolated ? folderOf(randomUUID()) : sharedFolder()
  const { connection, started, welcome } = await connectAndIntroduce(folder, {
    receiver,
    isolated,
    settings,
  }).catch((error) => {
    // the folder is this test's alone, and the error has the end of its log
    if (isolated) rmSync(folder, { recursive: true, force: true })
    throw error
  })
  connection.unref()
  return {
    welcome,
    async leave() {
      await end(connection)
      if (isolated) await waitUntilStopped(folder, started)
    },
    fork: (forkReceiver, of) => connectFork(folder, welcome, forkReceiver, of),
  }
}

/**
 * Has the process copy an instance. The copy lives as long as the connection.
 *
 * @param {string} folder
 * @param {Welcome} merchant
 * @param {string} receiver
 * @param {Original} of
 * @returns {Promise<Joined>}
 */
async function connectFork(folder, merchant, receiver, of) {
  const connection = await tryConnect(join(folder, 'socket'))
  if (!connection) throw new Error(`Railyard stopped${logTail(folder)}`)
  const { url } = await introduce(connection, { receiver, fork: of }).catch((error) =>
    Promise.reject(new Error(`${error.message}${logTail(folder)}`)),
  )
  connection.unref()
  return {
    welcome: { ...merchant, url },
    leave: () => end(connection),
    fork: (forkReceiver, ofFork) => connectFork(folder, merchant, forkReceiver, ofFork),
  }
}

/** @param {Socket} connection */
async function end(connection) {
  connection.ref()
  const closed = new Promise((resolved) => connection.once('close', resolved))
  connection.destroy()
  await closed
}

/**
 * The shared instance ends after a minute without a test. A test that connects at that moment may get no
 * welcome, and starts another instance.
 *
 * @param {string} folder
 * @param {Wanted} wanted
 */
async function connectAndIntroduce(folder, { receiver, isolated, settings }) {
  for (let attempt = 1; ; attempt++) {
    const { connection, started } = await connectOrStart(folder, isolated ? 0 : IDLE_MS, settings)
    try {
      return { connection, started, welcome: await introduce(connection, { receiver }) }
    } catch (error) {
      if (isolated || attempt === MAX_ATTEMPTS)
        throw new Error(`${error instanceof Error ? error.message : error}${logTail(folder)}`)
    }
  }
}

/**
 * The time of the newest change of Railyard's sources: tests of another version do not share a running
 * instance. Takes 10 ms.
 */
function newestChange() {
  const sources = join(railyard, 'src')
  return Math.max(
    ...readdirSync(sources, { recursive: true }).map((name) => statSync(join(sources, String(name))).mtimeMs),
  )
}

/**
 * The folder of an instance, in the folder for temporary files, since the path of a socket may have 100
 * characters only. `makePrivate` checks that no other user of this machine has made it or can read it.
 *
 * @param {string} name
 */
function folderOf(name) {
  const identity = `${userInfo().username} ${railyard} ${name}`
  return join(tmpdir(), `railyard-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`)
}

/** The folder of the instance that tests of these sources share. npm gives every version of a package the same times. */
const sharedFolder = () => folderOf(`shared ${version} ${newestChange()}`)

/**
 * Makes the folder if it is missing: an instance removes its folder when it ends. Throws if another user has
 * made it or can read it.
 *
 * @param {string} folder
 */
function makePrivate(folder) {
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const { uid, mode } = lstatSync(folder)
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to another user, or other users can read it`)
}

/**
 * Connects to the instance of this folder, and starts it if it does not run.
 *
 * @param {string} folder
 * @param {number} idleMs
 * @param {Record<string, string>} settings
 */
async function connectOrStart(folder, idleMs, settings) {
  const deadline = Date.now() + START_TIMEOUT_MS
  /** @type {Started | undefined} */
  let started
  for (;;) {
    makePrivate(folder)
    const connection = await tryConnect(join(folder, 'socket'))
    if (connection) return { connection, started }
    if (started?.ended) throw new Error(`Railyard did not start${logTail(folder)}`)
    if (Date.now() > deadline)
      throw new Error(`Railyard did not start within ${START_TIMEOUT_MS / 1000} s${logTail(folder)}`)
    // a process that ended with 0 has found another one, which is starting or stopping
    if (started === undefined || started.ended === 0) started = start(folder, idleMs, settings)
    await wait(CONNECT_INTERVAL_MS)
  }
}

/**
 * Undefined: no process listens there.
 *
 * @param {string} path
 * @returns {Promise<Socket | undefined>}
 */
const tryConnect = (path) =>
  new Promise((resolved) => {
    const socket = connectTo(path)
    socket.once('connect', () => resolved(socket))
    socket.once('error', () => resolved(undefined))
  })

/**
 * Starts an instance as a process of its own. It gets only those variables of the environment that any
 * program needs: the `DATABASE_URL` of the shop under test is not Railyard's.
 *
 * @param {string} folder
 * @param {number} idleMs
 * @param {Record<string, string>} settings
 */
function start(folder, idleMs, settings) {
  const { PATH, HOME, TMPDIR } = process.env
  makePrivate(folder)
  const log = openSync(logOf(folder), 'a', 0o600)
  const named = Object.keys(settings).flatMap((name) => ['--named', name])
  const child = spawn(
    node(),
    [
      join(railyard, 'src/main.js'),
      'testing',
      '--socket',
      join(folder, 'socket'),
      '--idle-ms',
      String(idleMs),
      ...named,
    ],
    {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: folder,
      env: { PATH, HOME, TMPDIR, PROVIDER_TIMEOUT_MS: '1000', RECOVERY_INTERVAL_MS: '200', ...settings },
    },
  )
  closeSync(log)
  /** @type {Started} */
  const started = { ended: undefined }
  child.once('exit', (code) => {
    started.ended = code ?? 1
  })
  child.once('error', () => {
    started.ended = 1
  })
  child.unref()
  return started
}

/** The tests' own Node if it can run Railyard, else the package `node`, which is installed with Railyard. */
function node() {
  if (process.features.typescript) return process.execPath
  const own = join(dirname(require.resolve('node/package.json')), 'bin/node')
  if (existsSync(own)) return own
  throw new Error(
    `Railyard needs Node 24, these tests run on ${process.version}, and the package node has not installed its own: npm rebuild node, or allow its install script`,
  )
}

/**
 * Says what the test wants, and waits for the answer.
 *
 * @param {Socket} connection
 * @param {{ receiver: string, fork?: Original }} introduction
 * @returns {Promise<Welcome>}
 */
const introduce = (connection, introduction) =>
  new Promise((resolved, reject) => {
    connection.once('close', () => reject(new Error('Railyard stopped')))
    createInterface(connection).once('line', (line) => resolved(JSON.parse(line)))
    connection.write(`${JSON.stringify(introduction)}\n`)
  })

/**
 * Waits until the instance has released its lock, or its process has ended: a killed process leaves the lock.
 *
 * @param {string} folder
 * @param {Started | undefined} started
 */
async function waitUntilStopped(folder, started) {
  while (existsSync(join(folder, 'lock.json')) && started?.ended === undefined)
    await wait(CONNECT_INTERVAL_MS)
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string} folder */
const logOf = (folder) => join(folder, 'railyard.log')

/**
 * The end of the instance's log.
 *
 * @param {string} folder
 */
function logTail(folder) {
  try {
    return `:\n${readFileSync(logOf(folder), 'utf8').slice(-2_000)}`
  } catch {
    return ''
  }
}

module.exports = { connect, makePrivate, sharedFolder }

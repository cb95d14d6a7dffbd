import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proof, reportFindings } from '../support/proof.ts'
import { docker, healthy, inspect } from './docker.ts'
import { pay, readPayment } from './requests.ts'

// npm run test:image. Builds the image twice, compares both, and runs it as an operator should: read-only, without capabilities, as user 1000.

const { folder = '' } = proof('image', { folder: String })
const findings: string[] = []
const hold = (what: string, is: boolean, instead: unknown = '') => {
  if (!is) findings.push(`${what}: ${typeof instead === 'string' ? instead : JSON.stringify(instead)}`)
}

interface ImageManifest {
  config: { digest: string; size: number }
  layers: { digest: string; size: number }[]
}
const MOST_BYTES = 150 * 10 ** 6
const MOST_MS_TO_STOP = 10_000
const URL_OUTSIDE = 'http://127.0.0.1:8080'

const manifestOf = (build: number): ImageManifest =>
  JSON.parse(readFileSync(join(folder, `railyard-${build}.json`), 'utf8'))
const [first, second] = [manifestOf(1), manifestOf(2)]
hold('both builds are the same', JSON.stringify(first) === JSON.stringify(second), [first, second])
const bytes = first.layers.reduce((sum, { size }) => sum + size, 0)
hold(`the image has at most ${MOST_BYTES} bytes compressed`, bytes <= MOST_BYTES, `${bytes}`)

await docker('load', '--quiet', '--input', join(folder, 'railyard.tar'))
const [image] = JSON.parse(await docker('image', 'inspect', 'railyard:dev'))
hold('it runs as user 1000', image.Config.User === '1000:1000', image.Config.User)
hold('it stops at SIGTERM', image.Config.StopSignal === 'SIGTERM', image.Config.StopSignal)

const refused = await docker('run', '--rm', 'railyard:dev').then(
  () => 'it started',
  (error: Error) => error.message,
)
hold('it refuses to start without RAILYARD_ENV', refused.includes('RAILYARD_ENV'), refused)

const secured = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges:true',
]
const readyMs: number[] = []
const start = async () => {
  await docker(
    ...['run', '--detach', '--name', 'railyard', '--init', ...secured, '--volume', 'data:/data'],
    ...[
      '--memory',
      '1g',
      '--publish',
      '127.0.0.1:8080:8080',
      '--env',
      'RAILYARD_ENV=sandbox',
      'railyard:dev',
    ],
  )
  readyMs.push(await healthy('railyard'))
}
const inside = (script: string) => docker('exec', 'railyard', 'node', '--input-type=module', '--eval', script)

await start()
const token = await docker('exec', 'railyard', 'node', 'src/main.js', 'token', '--scopes', '*.read,*.write')
const paid = await pay(URL_OUTSIDE, token)
hold('it takes a payment', paid.status === 201 && paid.body.status === 'authorization_succeeded', paid)

const status = Object.fromEntries(
  (await inside(`process.stdout.write((await import('node:fs')).readFileSync('/proc/self/status', 'utf8'))`))
    .split('\n')
    .map((line) => line.split(/:\s+/)),
)
hold('its user is 1000', /^1000\s/.test(status.Uid) && /^1000\s/.test(status.Gid), [status.Uid, status.Gid])
for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
  hold(`${set} is empty`, /^0+$/.test(status[set]), status[set])
hold('it can gain no privileges', status.NoNewPrivs === '1', status.NoNewPrivs)
hold('its system calls are filtered', status.Seccomp === '2', status.Seccomp)

const writable = JSON.parse(
  await inside(`
    import { readdirSync, writeFileSync, rmSync } from 'node:fs'
    const tried = ['/', '/app', '/app/src', '/app/dist', '/app/node_modules', '/app/node_modules/.cache', '/etc', '/home/node', '/usr/local/bin', '/var/tmp', '/run', '/data', '/tmp']
    const written = tried.filter((folder) => {
      try { writeFileSync(folder + '/probe', ''); rmSync(folder + '/probe'); return true } catch { return false }
    })
    process.stdout.write(JSON.stringify(written))`),
)
hold('it can write to /data and /tmp alone', writable.join() === '/data,/tmp', writable)

// without both, a start takes twice the time
const compiled = await docker(
  ...[
    'exec',
    '--env',
    'NODE_DEBUG_NATIVE=COMPILE_CACHE',
    'railyard',
    'sh',
    '-c',
    'node src/main.js --help 2>&1',
  ],
)
hold(
  'it runs its bundle, with what V8 made of it',
  /code cache for ESM file:\/\/\/app\/dist\/program\.js was accepted/.test(compiled),
  compiled.split('\n').slice(0, 3),
)
const version = await docker('exec', 'railyard', 'railyard', '--version').catch(String)
hold('`railyard` is its command line', /^\d+\.\d+\.\d+$/.test(version), version)
const { Health } = (await inspect('railyard')).State
hold('its health check passes', Health?.Log.at(-1)?.ExitCode === 0, Health)
const memory = await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', 'railyard')

const stoppedAt = performance.now()
await docker('stop', '--time', '60', 'railyard')
const stopMs = Math.round(performance.now() - stoppedAt)
const { ExitCode, OOMKilled } = (await inspect('railyard')).State
hold('it ends by itself at SIGTERM', ExitCode === 0 && !OOMKilled, ExitCode)
hold(`it ends within ${MOST_MS_TO_STOP} ms`, stopMs <= MOST_MS_TO_STOP, `${stopMs}`)
await docker('rm', 'railyard')

await start()
const read = await readPayment(URL_OUTSIDE, token, paid.body.id ?? '')
hold('a container with the same /data has the payment', read.body.amount === 1299, read)
await docker('rm', '--force', 'railyard')

console.log(
  JSON.stringify({
    digest: first.config.digest,
    bytes,
    layers: first.layers.map(({ size }) => size),
    readyMs,
    memory,
    stopMs,
  }),
)
reportFindings(findings)

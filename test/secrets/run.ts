import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSigner } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { launch, launchRailyard } from '../crash/process.ts'
import { startCollector } from '../support/collector.ts'
import { proof, proofDatabase, randomSeed, reportFindings } from '../support/proof.ts'
import { ownDatabase } from '../support/railyard.ts'
import { startReceiver } from '../support/receiver.ts'
import { doBusiness } from './business.ts'
import { caller } from './caller.ts'
import { canaries, shownToOwner } from './canaries.ts'
import { filesOf, type Place, processes, rowsOf, serverFolder } from './places.ts'
import { searcher, type Trace } from './search.ts'

// npm run test:secrets -- --payments 300 --seed 7
// bash scripts/with-postgres.sh npm run test:secrets

const { payments, seed } = proof('secrets', { payments: 300, seed: randomSeed() })
const secrets = canaries(seed)
const dataDir = await mkdtemp(join(tmpdir(), 'railyard-secrets-'))
const database = await ownDatabase()
console.log(`${proofDatabase()}, ${payments} payments, --seed ${seed}`)
const [collector, receiver] = [await startCollector(), await startReceiver()]
const env = {
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'debug',
  PROVIDER_TIMEOUT_MS: '300',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  ...(database && { DATABASE_URL: database.url }),
}

const places: Place[] = []
const look = (name: string, text: string) => void places.push({ name, bytes: Buffer.from(text) })

const running = launchRailyard(env)
const { url } = await running.ready
const signer = await readSigner(await readFile(privateKeyFile({ dataDir }), 'utf8'))
const api = caller(url, signer, secrets)
await doBusiness(api, secrets, { receiver: receiver.url, payments })
// the live files, before anything is tidied away by a stop
if (!database)
  places.push(...filesOf('data folder, running', dataDir, (path) => path === privateKeyFile({ dataDir })))
places.push(...processes())
look('metrics', await (await fetch(`${url}/metrics`)).text())
const { output } = await running.stop()
look('log', output)
places.push(...filesOf('data folder', dataDir, (path) => path === privateKeyFile({ dataDir })))
const backup = join(tmpdir(), `railyard-secrets-${process.pid}.backup`)
await launch(['src/main.js', 'backup', backup], env, /(?!)/).ended
places.push({ name: 'backup', bytes: await readFile(backup) })
if (database) {
  look(
    'backup as SQL',
    spawnSync('pg_restore', ['--file=-', backup], { maxBuffer: 2 ** 30 }).stdout?.toString() ?? '',
  )
  places.push(
    ...(await rowsOf(database.url)),
    ...filesOf('database server', await serverFolder(database.url)),
  )
}
look('traces', collector.bodies.join('\n'))
look(
  'webhooks',
  receiver.received
    .map(({ headers, text }) => JSON.stringify({ ...headers, authorization: undefined }) + text)
    .join('\n'),
)
await Promise.all([collector.close(), receiver.close()])
await database?.drop()
await Promise.all([rm(dataDir, { recursive: true, force: true }), rm(backup, { force: true })])

const all = secrets.all()
const search = searcher(all)
const findings = new Map<string, Trace & { place: string; times: number }>()
/** What a first start prints to try out: a card that everybody knows. */
const published = '4111111111111111'
const note = (place: string, traces: Trace[]) => {
  for (const trace of traces) {
    if (trace.kind === 'security code' && trace.around.includes(published)) continue
    const key = `${place.replace(/\d+/g, 'n')} ${trace.kind} ${trace.form}`
    findings.set(key, { place, ...trace, times: (findings.get(key)?.times ?? 0) + 1 })
  }
}
for (const { name, bytes } of places) note(name, search(bytes))
// an answer may show its owner these secrets; a refusal shows none
for (const { request, status, text, headers } of api.recorded) {
  const may = (kind: string) => status < 400 && [...shownToOwner].some((shown) => shown === kind)
  note(
    `answer (${status}) to ${request.replace(/[0-9a-f-]{36}/g, 'ID').slice(0, 60)}`,
    search(Buffer.from(headers + text)).filter(({ kind }) => !may(kind)),
  )
}

const count = (kind: string) => all.filter((canary) => canary.kind === kind).length
const figures = {
  canaries: Object.fromEntries([...new Set(all.map(({ kind }) => kind))].map((kind) => [kind, count(kind)])),
  total: all.length,
  answers: api.recorded.length,
  answered: Object.fromEntries(
    Map.groupBy(api.recorded, ({ status }) => status)
      .entries()
      .map(([status, each]) => [status, each.length]),
  ),
  webhooks: receiver.received.length,
  places: places.length,
  megabytes: Math.round(places.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6),
}
console.log(JSON.stringify(figures, null, 2))
// checks the search itself: it must find what the sender has written to its own log
const notices =
  search(Buffer.from(all.map(({ text }) => Buffer.from(text).toString('base64')).join(' '))).length >=
  all.length
reportFindings([
  ...[...findings.values()].map((finding) => JSON.stringify(finding)),
  ...(notices ? [] : ['the search does not find what it looks for']),
])

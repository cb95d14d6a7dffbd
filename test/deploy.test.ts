import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { dumpOptions, restoreOptions } from '../src/database/backup/postgres-tools.ts'
import { definitions } from '../src/settings.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const chart = 'deploy/helm/railyard'
const templates = readdirSync(new URL(`../${chart}/templates`, import.meta.url)).map((file) =>
  read(`${chart}/templates/${file}`),
)
const settings = new Set<string>(Object.values(definitions).map(({ variable }) => variable))

/** The problems of environment values; empty if they are valid settings. */
const refusals = (environment: Record<string, string>) =>
  Object.entries(environment).flatMap(([variable, value]) => {
    const definition = Object.values(definitions).find((each) => each.variable === variable)
    if (!definition) return [`${variable} is no setting`]
    try {
      definition.read(value)
      return []
    } catch (error) {
      return [`${variable}: ${error}`]
    }
  })

interface Compose {
  services: Record<
    string,
    {
      image: string
      environment?: Record<string, string>
      volumes?: string[]
      networks?: unknown
      depends_on?: object
    }
  >
  networks: object
  volumes: object
}
const compose: Compose = parse(read('compose.yaml'), { merge: true })

test('compose.yaml gives its processes existing settings with valid values', () => {
  const ours = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('railyard'))
  expect(ours.map(([name]) => name).sort()).toEqual([
    'api-1',
    'api-2',
    'migrate',
    'sandbox',
    'worker-1',
    'worker-2',
  ])
  const samples: Record<string, string> = { ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
  for (const [name, { environment = {} }] of ours) {
    const resolved = Object.fromEntries(
      Object.entries(environment).map(([variable, value]) => [
        variable,
        samples[variable] ?? value.replace(/\$\{\w+(?::[-?]([^}]*))?\}/g, '$1'),
      ]),
    )
    expect({
      name,
      refusals: refusals({ ...resolved, DATABASE_URL: 'postgres://railyard:secret@postgres:5432/railyard' }),
    }).toEqual({
      name,
      refusals: [],
    })
  }
})

test('compose.yaml refers only to services, networks and volumes that it has', () => {
  for (const { depends_on = {}, networks = [], volumes = [] } of Object.values(compose.services)) {
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    expect(Object.keys(compose.networks)).toEqual(
      expect.arrayContaining(Array.isArray(networks) ? networks : Object.keys(networks ?? {})),
    )
    const named = volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => !name.startsWith('.'))
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named))
  }
})

test('the load balancer has the API processes and checks their readiness', () => {
  const configuration = read('deploy/haproxy.cfg')
  const servers = [...configuration.matchAll(/^ {2}server (\S+) (\S+):8080$/gm)].map(([, name, host]) => [
    name,
    host,
  ])
  const answering = Object.entries(compose.services).filter(
    ([, { environment }]) => environment?.['ROLE'] === 'api',
  )
  expect(servers).toEqual(answering.map(([name]) => [name, name]))
  expect(configuration).toContain('uri /health/ready')
})

test('the chart has every setting, each in one place, and no unknown one', () => {
  const named = templates.flatMap((text) =>
    [...text.matchAll(/^\s*- (?:\{ )?name: ([A-Z][A-Z_]+)\b/gm)].map(([, name]) => name ?? ''),
  )
  const free: string[] = JSON.parse(read(`${chart}/values.schema.json`)).properties.settings.propertyNames
    .enum
  const forTheSandboxOnly = ['SANDBOX_URL', 'PROVIDER_URLS']
  const ofNode = ['NODE_EXTRA_CA_CERTS']
  expect([...named, ...free, ...forTheSandboxOnly].sort()).toEqual([...settings, ...ofNode].sort())
})

test('every value that a template reads is one of the chart’s', () => {
  const values = parse(read(`${chart}/values.yaml`))
  const paths = templates.flatMap((text) =>
    [...text.matchAll(/(?<!\w)(?:\$root|\$)?\.Values\.([\w.]+)/g)].map(([, path]) => path ?? ''),
  )
  expect(paths.length).toBeGreaterThan(20)
  const missing = paths.filter(
    (path) => path.split('.').reduce((at, member) => at?.[member], values) === undefined,
  )
  expect(missing).toEqual([])
})

test('the guide backs up and restores with the options of the commands, where the image has no pg_dump', () => {
  const [, backups = ''] = /^## Backups\n(.*?)^## /ms.exec(read('docs/guides/deploy.md')) ?? []
  for (const option of [...dumpOptions, ...restoreOptions]) expect(backups).toContain(option)
})

test('every deployment sets its environment, and the image refuses to run without one', () => {
  expect(read('Dockerfile')).toMatch(/^ENTRYPOINT \["node", "src\/main\.js", "--environment-required"\]$/m)
  expect(read('Dockerfile')).not.toMatch(/^ENV .*RAILYARD_ENV/m)
  const ours = Object.values(compose.services).filter(({ image }) => image.startsWith('railyard'))
  expect(ours.map(({ environment }) => environment?.['RAILYARD_ENV'])).toEqual(ours.map(() => 'sandbox'))
  expect(read(`${chart}/templates/_helpers.tpl`)).toContain('- { name: RAILYARD_ENV, value: production }')
  const containers = templates.flatMap((text) => text.split(/^ +containers:$/m).slice(1))
  expect(containers).toHaveLength(2)
  for (const container of containers) expect(container).toContain('include "railyard.environment"')
  expect(read('scripts/try-deployment.sh')).toMatch(/^export RAILYARD_ENV=sandbox /m)
})

test('the image and npm start set the C library’s allocator alike', () => {
  const settings = (text: string) => text.match(/\bMALLOC_\w+=\d+/g)
  expect(settings(JSON.parse(read('package.json')).scripts.start)).toEqual([
    'MALLOC_ARENA_MAX=1',
    'MALLOC_TRIM_THRESHOLD_=131072',
  ])
  expect(settings(read('Dockerfile'))).toEqual(settings(read('package.json')))
})

test('the image has the files that a start reads, and runs without a fixed user', () => {
  const image = read('Dockerfile')
  expect(image).toMatch(/^COPY package.json/m)
  expect(image).toMatch(/^COPY src \.\/src$/m)
  expect(image).toMatch(/^USER 1000:1000$/m)
  const environment =
    /^ENV (.*)$/m
      .exec(image)?.[1]
      ?.split(' ')
      .map((pair) => pair.split('=')) ?? []
  expect(refusals(Object.fromEntries(environment.filter(([name]) => name !== 'NODE_ENV')))).toEqual([])
})

test('the image’s compile cache is made by the user who runs it, since Node has one for each user', () => {
  const steps = [...read('Dockerfile').matchAll(/^(USER|RUN) (.*)$/gm)].map(([, step, what]) => ({
    step,
    what,
  }))
  const compiles = steps.findIndex(({ what }) => what?.startsWith('node --random-seed=1 src/main.js'))
  const users = (before: number) => steps.slice(0, before).findLast(({ step }) => step === 'USER')?.what
  expect(users(compiles)).toBe(users(steps.length))
})

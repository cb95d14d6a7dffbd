import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { helm, render } from './helm.ts'
import { type Manifest, refusals } from './kubernetes.ts'
import { containerOf, podOf, podsOf, violations } from './pods.ts'

const examples = readdirSync(new URL('values', import.meta.url)).map((file) => file.replace('.yaml', ''))
const values = (name: string) => ['--values', `test/chart/values/${name}.yaml`]

const rendered = new Map<string, Promise<Manifest[]>>()

/** The chart's objects with the values of an example. */
function objectsOf(example: string): Promise<Manifest[]> {
  const objects = rendered.get(example) ?? render(values(example))
  rendered.set(example, objects)
  return objects
}
const ofKind = (objects: Manifest[], kind: string) => objects.filter((object) => object.kind === kind)

/** Whether a selector (`matchLabels`, `matchExpressions` with `In`) takes in these labels. */
function selects(
  {
    matchLabels = {},
    matchExpressions = [],
  }: {
    matchLabels?: Record<string, string>
    matchExpressions?: { key: string; operator: string; values: string[] }[]
  },
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  )
}

test('helm finds nothing wrong with the chart', async () => {
  expect(await helm('lint', '--strict', 'deploy/helm/railyard', ...values('everything'))).toContain(
    '0 chart(s) failed',
  )
})

describe.each(examples)('with the values %s', (name) => {
  test('Kubernetes accepts every object', async () => {
    const objects = await objectsOf(name)
    expect(objects.length).toBeGreaterThanOrEqual(6)
    expect(
      objects
        .map((object) => ({ object: `${object.kind} ${object.metadata.name}`, refusals: refusals(object) }))
        .filter(({ refusals }) => refusals.length > 0),
    ).toEqual([])
  })

  test('every pod meets the restricted Pod Security Standard, and Railyard’s own limits', async () => {
    const pods = podsOf(await objectsOf(name))
    expect(pods.length).toBeGreaterThanOrEqual(2)
    expect(pods.flatMap(violations)).toEqual([])
  })

  test('every selector finds its pods, and no other', async () => {
    const objects = await objectsOf(name)
    const labels = podsOf(objects).map(({ metadata }) => metadata.labels ?? {})
    const component = 'app.kubernetes.io/component'
    const found = (selector: object) =>
      labels.filter((each) => selects(selector, each)).map((each) => each[component])
    for (const { spec } of ofKind(objects, 'Deployment'))
      expect(found(spec['selector'] as object)).toHaveLength(1)
    for (const { spec } of ofKind(objects, 'Service'))
      expect(found({ matchLabels: spec['selector'] })).toEqual(['api'])
    expect(
      ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => found(spec['selector'] as object)),
    ).toEqual([['api'], ['worker']])
    for (const { spec } of ofKind(objects, 'NetworkPolicy'))
      expect(found(spec['podSelector'] as object)).toHaveLength(labels.length)
    for (const { spec } of ofKind(objects, 'PodMonitor'))
      expect(found(spec['selector'] as object)).toEqual(['api', 'worker'])
  })

  test('a rollout takes no process away before its successor is ready, and gives each the time to stop', async () => {
    for (const { spec } of ofKind(await objectsOf(name), 'Deployment')) {
      expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } })
      const pod = podOf(spec)
      const { env = [] } = containerOf(pod)
      const stopDelay = Number(env.find((each) => each.name === 'STOP_DELAY_MS')?.value)
      const { periodSeconds = 0, failureThreshold = 0 } = containerOf(pod).readinessProbe ?? {}
      // what is not noticed by then is sent requests that nobody takes
      expect(periodSeconds * failureThreshold * 1_000).toBeLessThan(stopDelay)
      expect(Number(pod.terminationGracePeriodSeconds) * 1_000 - stopDelay).toBeGreaterThanOrEqual(60_000)
    }
  })
})

test('the image is the one of this version, unless its digest is named', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const images = (objects: Manifest[]) => podsOf(objects).map(({ spec }) => containerOf(spec).image)
  expect(new Set(images(await objectsOf('default')))).toEqual(
    new Set([`registry.example/railyard:${version}`]),
  )
  expect(new Set(images(await objectsOf('everything')))).toEqual(
    new Set([`registry.example/payments/railyard@sha256:${'0'.repeat(64)}`]),
  )
})

test('names fit into labels under the longest name of a release', async () => {
  const objects = await render([...values('ingress'), '--set', 'podMonitor.enabled=true'], 'r'.repeat(53))
  const names = objects.map(({ metadata }) => metadata.name)
  expect(names.filter((name) => name.length > 63)).toEqual([])
  expect(new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size).toBe(names.length)
})

test('numbers of a values file reach the process as they are written', async () => {
  const [pod] = podsOf(await objectsOf('everything'))
  expect(pod && containerOf(pod.spec).env).toEqual(
    expect.arrayContaining([
      { name: 'TOKEN_LIFETIME_SECONDS', value: '31536000' },
      { name: 'PROVIDER_TIMEOUT_MS', value: '20000' },
    ]),
  )
})

test('the Ingress leads the name of PUBLIC_URL and that of the card fields to the API, under one certificate', async () => {
  const objects = await objectsOf('ingress')
  const [service] = ofKind(objects, 'Service')
  const [ingress] = ofKind(objects, 'Ingress')
  const rule = (host: string) => ({
    host,
    http: {
      paths: [
        {
          path: '/',
          pathType: 'Prefix',
          backend: { service: { name: service?.metadata.name, port: { name: 'http' } } },
        },
      ],
    },
  })
  expect(ingress?.spec).toEqual({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['pay.example', 'fields.example'], secretName: 'pay-tls' }],
    rules: [rule('pay.example'), rule('fields.example')],
  })
})

test('authorities of a ConfigMap are read by every process and by the migration', async () => {
  const pods = podsOf(await objectsOf('key-service'))
  expect(pods).toHaveLength(3)
  for (const { spec } of pods) {
    const { env = [], volumeMounts = [] } = containerOf(spec)
    const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value
    const mount = volumeMounts.find(({ name }) => name === 'certificate-authorities')
    const volume = spec.volumes?.find(({ name }) => name === 'certificate-authorities')
    expect(mount?.readOnly).toBe(true)
    expect(volume?.configMap?.name).toBe('authorities')
    expect(volume?.configMap?.items?.map(({ key, path }) => [key, `${mount?.mountPath}/${path}`])).toEqual([
      ['bundle.pem', file],
    ])
  }
})

test('files of retired payments are written to a volume that outlives the workers, and no other pod has it', async () => {
  const claims = podsOf(await objectsOf('archive')).map(({ spec, of }) => {
    const { env = [], volumeMounts = [] } = containerOf(spec)
    const folder = env.find(({ name }) => name === 'ARCHIVE_DIR')?.value
    const mount = volumeMounts.find(({ mountPath }) => mountPath === folder)
    const volume = spec.volumes?.find(({ name }) => name === mount?.name)
    return [of, volume?.persistentVolumeClaim?.claimName, mount?.readOnly]
  })
  expect(claims).toEqual([
    ['railyard-api', undefined, undefined],
    ['railyard-worker', 'retired-payments', undefined],
    ['railyard-migrate-1', undefined, undefined],
  ])
})

test('the autoscaler alone decides the number of processes where it is switched on', async () => {
  const objects = await objectsOf('autoscaling')
  const [autoscaler] = ofKind(objects, 'HorizontalPodAutoscaler')
  const target = ofKind(objects, 'Deployment').find(
    ({ metadata }) =>
      metadata.name === (autoscaler?.spec['scaleTargetRef'] as { name: string } | undefined)?.name,
  )
  expect(target?.metadata.labels?.['app.kubernetes.io/component']).toBe('api')
  expect(target?.spec).not.toHaveProperty('replicas')
})

test('the pods are scraped by the name that the alert rules select', async () => {
  const objects = await objectsOf('pod-monitor')
  const rules = readFileSync('docs/operations/alerts.yml', 'utf8')
  const selected = new Set([...rules.matchAll(/job="([^"]+)"/g)].map(([, job]) => job))
  const names = ofKind(objects, 'PodMonitor').flatMap(({ spec }) =>
    podsOf(objects)
      .filter(({ metadata: { labels = {} } }) =>
        selects(spec['selector'] as Parameters<typeof selects>[0], labels),
      )
      .map(({ metadata: { labels = {} } }) => labels[String(spec['jobLabel'])]),
  )
  expect(selected.size).toBe(1)
  expect(names).toEqual([...selected, ...selected])
})

test('the migration runs before the processes of an installation and of an upgrade', async () => {
  const [job] = ofKind(await objectsOf('default'), 'Job')
  expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  expect(job && containerOf(podOf(job.spec)).args).toEqual(['migrate'])
})

test.each([
  ['an unknown value', 'replicas=3', /replicas/],
  ['an unknown setting', 'settings.PROVIDER_TIMEOUT=1', /PROVIDER_TIMEOUT/],
  ['a folder of retired payments without a volume', 'settings.ARCHIVE_DIR=/data/archive', /ARCHIVE_DIR/],
  ['a secret among the settings', 'settings.ENCRYPTION_KEY=clear', /ENCRYPTION_KEY/],
  ['an address that production refuses', 'publicUrl=http://pay.example', /publicUrl/],
  ['no address', 'publicUrl=', /publicUrl/],
  ['an address with a query', 'publicUrl=https://pay.example/?a=b', /publicUrl/],
  [
    'an address with a path, which the Ingress would pass on',
    'publicUrl=https://pay.example/payments,ingress.enabled=true',
    /publicUrl/,
  ],
  ['a key service without the name of a key', 'kms.url=https://keys.example', /kms\.keyId/],
  [
    'fewer processes at most than at least',
    'api.autoscaling.enabled=true,api.autoscaling.maxReplicas=1',
    /minReplicas/,
  ],
  ['a unit that Kubernetes does not know', 'temporarySize=2 GB', /temporarySize/],
  ['such a unit among the resources', 'api.resources.limits.memory=512MB', /resources\.limits\.memory/],
  ['a misspelt part of the resources', 'worker.resources.limit.cpu=1', /limit/],
])('helm refuses %s', async (_, set, problem) => {
  await expect(render([...values('default'), '--set', set])).rejects.toThrow(problem)
})

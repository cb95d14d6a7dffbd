import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helm, render } from '../chart/helm.ts'
import type { Manifest } from '../chart/kubernetes.ts'
import { proof, reportFindings } from '../support/proof.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { startNodes } from './nodes.ts'

// npm run test:kubernetes; --only default.yaml. Helm installs, upgrades, rolls back and uninstalls the chart on a
// real API server with its controllers, once for each file of values. Pods are said to run (`nodes.ts`);
// `npm run test:rollout` runs them. Without the PodMonitor: an API server of Debian's Go and Kubernetes ends at
// the first custom resource.

const { only } = proof('kubernetes', { only: String })

const VALUES = 'test/chart/values'
/** The API server is Debian's, and older than the chart's: what it has by another version of the same shape. */
const olderVersions: [file: string, version: string, older: string][] = [
  ['Chart.yaml', `kubeVersion: '>=1.25.0-0'`, `kubeVersion: '>=1.20.0-0'`],
  ['templates/disruption.yaml', 'policy/v1', 'policy/v1beta1'],
  ['templates/autoscaling.yaml', 'autoscaling/v2', 'autoscaling/v2beta2'],
]

async function olderChart(folder: string): Promise<string> {
  const chart = join(folder, 'railyard')
  await cp('deploy/helm/railyard', chart, { recursive: true })
  for (const [file, version, older] of olderVersions) {
    const text = await readFile(join(chart, file), 'utf8')
    if (!text.includes(version)) throw new Error(`${file} does not have ${version}`)
    await writeFile(join(chart, file), text.replace(version, older))
  }
  return chart
}

const plurals: Record<string, string> = {
  Deployment: 'deployments',
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  Ingress: 'ingresses',
  NetworkPolicy: 'networkpolicies',
  PodDisruptionBudget: 'poddisruptionbudgets',
  Service: 'services',
}

/** The path of objects of this kind in this namespace. */
function pathOf(namespace: string, { apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  const plural = plurals[kind]
  if (!plural) throw new Error(`${kind} is none of test/kubernetes/run.ts`)
  return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${plural}`
}

/** The members that were sent and are not there, or are other values. */
function lost(sent: unknown, kept: unknown, path = ''): string[] {
  if (sent === null || sent === '') return []
  if (typeof sent !== 'object')
    return sent === kept ? [] : [`${path} is ${JSON.stringify(kept)}, not ${sent}`]
  return Object.entries(sent).flatMap(([name, value]) =>
    lost(value, (kept as Record<string, unknown> | undefined)?.[name], `${path}/${name}`),
  )
}

const isHook = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'] !== undefined

/** Looks at one release from its installation to its end; answers what is not as it should be. */
async function playRelease(server: ApiServer, chart: string, file: string): Promise<string[]> {
  const namespace = `railyard-${file.replace('.yaml', '')}`
  const findings: string[] = []
  const expect = (is: boolean, otherwise: string) => {
    if (!is) findings.push(`${file}: ${otherwise}`)
  }
  const values = ['--values', join(VALUES, file), '--set', 'podMonitor.enabled=false']
  const release = ['railyard', chart, '--namespace', namespace, ...values]
  const waiting = ['--wait', '--timeout', '180s']
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const listed = async (path: string) => (await server.ask<{ items: Manifest[] }>('GET', path))?.items ?? []
  const imagesOf = async () =>
    (await listed(deployments)).map(({ spec }) => JSON.stringify(spec).match(/"image":"([^"]*)"/)?.[1])

  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  await server.ask('POST', `/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: 'railyard' },
    stringData: { DATABASE_URL: 'postgres://nowhere' },
  })
  const nodes = startNodes(server, namespace)
  try {
    const migrated: string[] = []
    const during: (string | undefined)[][] = []
    nodes.onJob(async ({ spec }) => {
      migrated.push(...spec.containers.map(({ image }) => image))
      during.push(await imagesOf())
    })

    const rendered = (await render([...values, '--namespace', namespace], 'railyard', chart)).filter(
      (object) => !isHook(object),
    )
    await helm('install', ...release, ...waiting)
    for (const object of rendered) {
      const path = `${pathOf(namespace, object)}/${object.metadata.name}`
      const kept = await server.ask('GET', path)
      expect(kept !== null, `no ${object.kind} ${object.metadata.name}`)
      for (const member of lost(object.spec, (kept as Manifest | null)?.spec))
        expect(false, `${object.kind} ${object.metadata.name}: ${member}`)
    }
    const [before] = await imagesOf()
    const hasMigration = migrated.length > 0
    expect(
      during.every((images) => images.length === 0),
      'processes were there before the migration',
    )

    const replicas = (await listed(deployments)).find(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'api',
    )?.spec['replicas']
    migrated.length = 0
    during.length = 0
    nodes.fewestReady()
    await helm('upgrade', ...release, '--set', 'image.digest=,image.tag=next', ...waiting)
    const fewest = nodes.fewestReady()
    expect(fewest >= Number(replicas), `${fewest} of ${replicas} api pods were ready during an upgrade`)
    const next = await imagesOf()
    expect(
      next.every((image) => image?.endsWith(':next') === true),
      `after the upgrade: ${next}`,
    )
    expect(
      migrated.every((image) => image.endsWith(':next')) && migrated.length > 0 === hasMigration,
      `the upgrade's migration ran with ${migrated}`,
    )
    expect(
      during.flat().every((image) => image === before),
      'the new processes were there before the migration',
    )

    if (hasMigration && file === 'default.yaml') {
      nodes.jobsSucceed(false)
      const refused = await helm('upgrade', ...release, '--set', 'image.tag=broken', ...waiting).then(
        () => false,
        () => true,
      )
      nodes.jobsSucceed(true)
      expect(refused, 'an upgrade whose migration fails succeeded')
      const images = await imagesOf()
      expect(
        images.every((image) => image?.endsWith(':next') === true),
        `after a failed migration: ${images}`,
      )
    }

    await helm('rollback', 'railyard', '1', '--namespace', namespace, ...waiting)
    const back = await imagesOf()
    expect(
      back.every((image) => image === before),
      `after the return: ${back}`,
    )
    await helm('uninstall', 'railyard', '--namespace', namespace, ...waiting)
    for (const object of rendered) {
      const left = await server.ask('GET', `${pathOf(namespace, object)}/${object.metadata.name}`)
      expect(left === null, `${object.kind} ${object.metadata.name} is left`)
    }
    console.log(
      `  ${file}: ${rendered.length} objects, ${hasMigration ? 'with' : 'without'} a migration, ${fewest} of ${replicas} api pods ready at least`,
    )
    return findings
  } finally {
    await nodes.close()
  }
}

const folder = await mkdtemp(join(tmpdir(), 'railyard-chart-'))
const server = await startApiServer()
try {
  process.env['KUBECONFIG'] = server.kubeconfig
  for (const kind of ['CACHE', 'CONFIG', 'DATA']) process.env[`HELM_${kind}_HOME`] = join(folder, kind)
  const version = await server.ask<{ gitVersion: string }>('GET', '/version')
  console.log(`  API server ${version?.gitVersion}, helm ${(await helm('version', '--short')).trim()}`)
  const chart = await olderChart(folder)
  const findings: string[] = []
  const files = (await readdir(VALUES))
    .filter((file) => (only === undefined ? file !== 'pod-monitor.yaml' : file === only))
    .sort()
  if (files.length === 0) throw new Error(`${VALUES} has no ${only}`)
  for (const file of files) findings.push(...(await playRelease(server, chart, file)))
  reportFindings(findings)
} finally {
  await server.close()
  await rm(folder, { recursive: true, force: true })
}

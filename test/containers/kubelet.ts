import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { IProbe } from 'kubernetes-models/v1/Probe'
import { containerOf } from '../chart/pods.ts'
import { docker, inspect, logsOf } from './docker.ts'

/** What a pod runs on, and what is other than the chart says. */
export interface PodSetting {
  image: string
  network: string
  /** The Secret of the chart. */
  secrets: Record<string, string>
  /** Variables in place of the chart's. */
  instead: Record<string, string>
  /** Milliseconds from the deletion of a pod until no new connection is sent to it. */
  lag: number
}

export interface PodEnd {
  code: number
  /** From SIGTERM. */
  ms: number
  graceMs: number
  output: string
}

/** A pod of one container. */
export interface Pod {
  name: string
  address: string
  /** Whether a Service sends connections to it. */
  isReady(): boolean
  /** How often it was left out, since its readiness probe had failed, before it was deleted. */
  leftOut(): number
  /** SIGTERM, and SIGKILL when the grace period is over; resolves at its end. */
  remove(): Promise<PodEnd>
  ended: Promise<{ code: number; output: string }>
}

/**
 * Runs a pod of a manifest as a kubelet does: with its security, its limits and its probes, and no init
 * process. Not imitated: scheduling, requests of processor time, the liveness probe, `fsGroup`.
 */
export async function createPod(name: string, spec: IPodSpec, setting: PodSetting): Promise<Pod> {
  const container = containerOf(spec)
  const environment = (container.env ?? []).flatMap(({ name: variable, value, valueFrom }) => {
    const given = setting.instead[variable] ?? value ?? setting.secrets[valueFrom?.secretKeyRef?.key ?? '']
    if (given === undefined && !valueFrom?.secretKeyRef?.optional) throw new Error(`${name}: no ${variable}`)
    return given === undefined ? [] : [[variable, given] as const]
  })
  const more = Object.entries(setting.instead).filter(
    ([variable]) => !environment.some(([each]) => each === variable),
  )
  const folders = (container.volumeMounts ?? []).flatMap(({ mountPath }) => [
    '--tmpfs',
    `${mountPath}:uid=1000,gid=1000,mode=770`,
  ])
  await docker(
    ...['run', '--detach', '--name', name, '--network', setting.network, '--no-healthcheck'],
    ...['--user', `${spec.securityContext?.runAsUser}:${spec.securityContext?.runAsGroup}`],
    ...(container.securityContext?.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(container.securityContext?.allowPrivilegeEscalation
      ? []
      : ['--security-opt', 'no-new-privileges:true']),
    ...(container.securityContext?.capabilities?.drop ?? []).flatMap((each) => ['--cap-drop', each]),
    ...['--memory', bytesOf(String(container.resources?.limits?.['memory']))],
    ...folders,
    ...[...environment, ...more].flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
    setting.image,
    ...(container.args ?? []),
  )
  const ended = docker('wait', name).then(async (code) => ({
    code: Number(code),
    output: await logsOf(name),
  }))
  const address = await docker(
    ...[
      'container',
      'inspect',
      '--format',
      `{{(index .NetworkSettings.Networks "${setting.network}").IPAddress}}`,
      name,
    ],
  )
  let ready = false
  let deleted = false
  let leftOut = 0
  let over = false
  void ended.then(() => {
    over = true
    ready = false
  })
  const { startupProbe, readinessProbe } = container
  if (startupProbe && readinessProbe)
    void (async () => {
      await started()
      for (let failures = 0; !over; await wait((readinessProbe.periodSeconds ?? 10) * 1_000)) {
        failures = (await succeeds(address, readinessProbe)) ? 0 : failures + 1
        // a Service may notice that a pod is deleted before it notices that it is not ready; here it notices late
        const passes = failures < (readinessProbe.failureThreshold ?? 3)
        if (ready && !passes && !deleted) leftOut++
        if (!deleted) ready = passes
      }
    })()

  async function started(): Promise<void> {
    for (let failures = 0; startupProbe && !over && !(await succeeds(address, startupProbe)); failures++) {
      if (failures >= (startupProbe.failureThreshold ?? 3)) await docker('kill', name)
      await wait((startupProbe.periodSeconds ?? 10) * 1_000)
    }
  }

  async function remove(): Promise<PodEnd> {
    const graceMs = (spec.terminationGracePeriodSeconds ?? 30) * 1_000
    deleted = true
    const began = performance.now()
    void wait(setting.lag).then(() => {
      ready = false
    })
    await docker('kill', '--signal', 'TERM', name)
    const timer = setTimeout(() => void docker('kill', name).catch(() => undefined), graceMs)
    const end = await ended
    clearTimeout(timer)
    const ms = Math.round(performance.now() - began)
    const { OOMKilled } = (await inspect(name)).State
    await docker('rm', name)
    return { ...end, ms, graceMs, output: OOMKilled ? 'beyond its memory' : end.output }
  }

  return { name, address, isReady: () => ready, leftOut: () => leftOut, remove, ended }
}

/** A quantity of memory as Docker writes it. */
const bytesOf = (quantity: string): string => quantity.replace(/Mi$/, 'm').replace(/Gi$/, 'g')

/** An HTTP probe: 2xx or 3xx within its time, on a connection of its own. */
const succeeds = (host: string, { httpGet, timeoutSeconds = 1 }: IProbe): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({
      host,
      port: 8080,
      path: httpGet?.path,
      agent: false,
      timeout: timeoutSeconds * 1_000,
    })
    asked.on('response', (answer) => {
      answer.resume()
      resolve((answer.statusCode ?? 500) < 400)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.end()
  })

import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Service } from 'kubernetes-models/v1/Service'

/** A Kubernetes object, as it is in a manifest. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: Record<string, unknown>
}

/** What the chart makes, each with the schema of Kubernetes or of the Prometheus operator. */
const models = [
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  Service,
] as const

/**
 * What an API server would refuse: values that the schema does not accept, and members that it does not have
 * (strict field validation). Empty if there is nothing.
 */
export function refusals(manifest: Manifest): string[] {
  const model = models.find((each) => each.apiVersion === manifest.apiVersion && each.kind === manifest.kind)
  if (!model) return [`${manifest.apiVersion} ${manifest.kind} is none of test/chart/kubernetes.ts`]
  const read = new Set<string>()
  const problems: string[] = []
  try {
    model.prototype.validate.call(observe(manifest, '', read))
  } catch (error) {
    problems.push(String(error))
  }
  return [...problems, ...membersBut(read, manifest, '').map((path) => `${path} is no member`)]
}

/**
 * The same value, which notes the paths of its members that are read. The compiled schemas pass over members
 * that they do not have: those are the ones that they never read.
 */
function observe(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, member) {
      const inside = Reflect.get(target, member)
      if (typeof member === 'symbol' || !Object.hasOwn(target, member)) return inside
      read.add(`${path}/${member}`)
      return observe(inside, `${path}/${member}`, read)
    },
  })
}

/** The paths of all members of this value that are not among these. */
function membersBut(read: ReadonlySet<string>, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inside]) => {
    const at = `${path}/${member}`
    return read.has(at) ? membersBut(read, inside, at) : [at]
  })
}

import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { Manifest } from './kubernetes.ts'

/** A pod as its Deployment or Job makes it. */
export interface Pod {
  metadata: { labels?: Record<string, string> }
  spec: IPodSpec
  /** The name of what makes it. */
  of: string
}

type WithTemplate = { template?: { metadata?: Pod['metadata']; spec?: IPodSpec } }

/** The pods of these objects: of each that has a template, one. */
export const podsOf = (objects: readonly Manifest[]): Pod[] =>
  objects.flatMap(({ spec, metadata }) => {
    const { template } = spec as WithTemplate
    return template?.spec
      ? [{ metadata: template.metadata ?? {}, spec: template.spec, of: metadata.name }]
      : []
  })

/** The pod that a Deployment's or Job's `spec` makes. */
export function podOf(spec: Manifest['spec']): IPodSpec {
  const { template } = spec as WithTemplate
  if (!template?.spec) throw new TypeError('it makes no pods')
  return template.spec
}

/** The only container of a pod. */
export function containerOf({ containers, initContainers }: IPodSpec): IContainer {
  const [container, ...others] = [...containers, ...(initContainers ?? [])]
  if (!container || others.length > 0) throw new TypeError('a pod of Railyard has one container')
  return container
}

const volumesOfPods = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/** https://kubernetes.io/docs/concepts/security/pod-security-standards, profile Restricted. */
const restricted: Record<string, (pod: IPodSpec, container: IContainer) => boolean> = {
  'shares no namespace of the node': ({ hostNetwork, hostPID, hostIPC }) =>
    !hostNetwork && !hostPID && !hostIPC,
  'has no port of the node': (_, { ports = [] }) => ports.every(({ hostPort }) => !hostPort),
  'is not privileged': (_, { securityContext }) =>
    !securityContext?.privileged && securityContext?.allowPrivilegeEscalation === false,
  'has no capability': (_, { securityContext }) =>
    securityContext?.capabilities?.drop?.includes('ALL') === true && !securityContext.capabilities.add,
  'does not run as root': ({ securityContext }, { securityContext: own }) =>
    securityContext?.runAsNonRoot === true && securityContext.runAsUser !== 0 && !own?.runAsUser,
  'is limited to the runtime’s system calls': ({ securityContext }) =>
    securityContext?.seccompProfile?.type === 'RuntimeDefault',
  'has no volume of the node': ({ volumes = [] }) =>
    volumes.every((volume) =>
      Object.keys(volume).every((key) => key === 'name' || volumesOfPods.includes(key)),
    ),
}

const isConfidential = (variable: string) => /(_KEY|_TOKEN|^DATABASE_URL)$/.test(variable)

/** What docs/guides/deploy.md promises beyond that. */
const own: Record<string, (pod: IPodSpec, container: IContainer) => boolean> = {
  'has no token of the cluster’s API': ({ automountServiceAccountToken }) =>
    automountServiceAccountToken === false,
  'knows no address of another service by its environment': ({ enableServiceLinks }) =>
    enableServiceLinks === false,
  'writes to its volumes only': (_, { securityContext }) => securityContext?.readOnlyRootFilesystem === true,
  'has limits for what it writes': ({ volumes = [] }) =>
    volumes.every(({ emptyDir }) => !emptyDir || emptyDir.sizeLimit !== undefined),
  'asks for processor time and memory, and has a limit of memory': (_, { resources }) =>
    resources?.requests?.['cpu'] !== undefined &&
    resources.requests['memory'] !== undefined &&
    resources.limits?.['memory'] !== undefined,
  'takes secrets from a Secret alone': (_, { env = [] }) =>
    env.every(({ name, valueFrom }) => !isConfidential(name) || valueFrom?.secretKeyRef !== undefined),
  'names its image by a version or digest': (_, { image = '' }) =>
    /(@sha256:[0-9a-f]{64}|:\d+\.\d+\.\d+)$/.test(image),
}

/** The rules that this pod breaks. */
export const violations = ({ spec, of }: Pod): string[] =>
  Object.entries({ ...restricted, ...own })
    .filter(([, holds]) => !holds(spec, containerOf(spec)))
    .map(([rule]) => `${of}: not so: it ${rule}`)

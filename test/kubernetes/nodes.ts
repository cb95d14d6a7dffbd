import { setTimeout as wait } from 'node:timers/promises'
import type { ApiServer } from './api-server.ts'

interface Pod {
  metadata: {
    name: string
    deletionTimestamp?: string
    labels?: Record<string, string>
  }
  spec: { nodeName?: string; containers: { name: string; image: string }[] }
  status: { phase?: string; conditions?: { type: string; status: string }[] }
}

/** What stands in for a scheduler and the kubelets of all nodes: pods are said to run, and none does. */
export interface Nodes {
  /** Whether pods of Jobs succeed; they do unless told otherwise. */
  jobsSucceed(succeed: boolean): void
  /** Called with every pod of a Job before it ends. */
  onJob(look: (pod: Pod) => Promise<void>): void
  /** The fewest pods of `api` that were ready and not being deleted, at any look since the last call. */
  fewestReady(): number
  close(): Promise<void>
}

const isReady = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

export function startNodes({ ask }: ApiServer, namespace: string): Nodes {
  const stopping = new AbortController()
  let succeed = true
  let look: (pod: Pod) => Promise<void> = async () => undefined
  let fewest = Number.POSITIVE_INFINITY
  const pods = `/api/v1/namespaces/${namespace}/pods`

  async function tend(pod: Pod): Promise<void> {
    const path = `${pods}/${pod.metadata.name}`
    if (pod.metadata.deletionTimestamp !== undefined) {
      await ask('DELETE', path, { gracePeriodSeconds: 0 })
    } else if (pod.spec.nodeName === undefined) {
      await ask('POST', `${path}/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name },
        target: { kind: 'Node', name: 'node' },
      })
    } else if (pod.status.phase === 'Pending') {
      const isJob = pod.metadata.labels?.['job-name'] !== undefined
      if (isJob) await look(pod)
      const jobPhase = succeed ? 'Succeeded' : 'Failed'
      await ask('PATCH', `${path}/status`, {
        status: {
          phase: isJob ? jobPhase : 'Running',
          conditions: [{ type: 'Ready', status: isJob ? 'False' : 'True', lastTransitionTime: new Date() }],
        },
      })
    }
  }

  async function tendAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const list = await ask<{ items: Pod[] }>('GET', pods)
      const items = list?.items ?? []
      for (const pod of items) await tend(pod)
      const ofApi = items.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'api')
      fewest = Math.min(fewest, ofApi.filter(isReady).length)
      await wait(100)
    }
  }
  const ended = tendAll()
  // `close` rejects with the error
  ended.catch(() => undefined)

  return {
    jobsSucceed: (whether) => {
      succeed = whether
    },
    onJob: (looker) => {
      look = looker
    },
    fewestReady: () => {
      const found = fewest
      fewest = Number.POSITIVE_INFINITY
      return found
    },
    close: () => {
      stopping.abort()
      return ended
    },
  }
}

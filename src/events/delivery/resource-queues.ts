/**
 * Jobs that wait to be sent, in a queue for each resource: one job of a resource at a time, in the order in
 * which they were added.
 */
export interface ResourceQueues<Job> {
  add(target: string, job: Job): void
  /** The next job of a resource that has none in flight; resources take turns. */
  takeNext(): Job | undefined
  /** The job of this resource that was in flight has ended: the next one may be sent. */
  finish(target: string): void
  /**
   * The job that was in flight has failed and blocks its resource. Removes the jobs behind it, and answers
   * them.
   */
  block(target: string): Job[]
  /** Whether `takeNext` has a job. */
  readonly isReady: boolean
  /** Jobs that `takeNext` has not answered yet. */
  readonly waiting: number
}

export function makeResourceQueues<Job>(): ResourceQueues<Job> {
  /** The waiting jobs of each resource. The queue exists while a job of its resource is in flight, too. */
  const queues = new Map<string, Job[]>()
  /** Resources with waiting jobs and none in flight, in turn. */
  const ready = new Set<string>()
  let waiting = 0
  return {
    add(target, job) {
      waiting += 1
      const queue = queues.get(target)
      if (queue) queue.push(job)
      else {
        queues.set(target, [job])
        ready.add(target)
      }
    },
    takeNext() {
      for (const target of ready) {
        ready.delete(target)
        const job = queues.get(target)?.shift()
        if (job === undefined) continue
        waiting -= 1
        return job
      }
      return undefined
    },
    finish(target) {
      if (queues.get(target)?.length) ready.add(target)
      else queues.delete(target)
    },
    block(target) {
      const behind = queues.get(target) ?? []
      queues.delete(target)
      waiting -= behind.length
      return behind
    },
    get isReady() {
      return ready.size > 0
    },
    get waiting() {
      return waiting
    },
  }
}

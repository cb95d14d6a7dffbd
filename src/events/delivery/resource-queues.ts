/** What waits to be sent, a lane for each resource: one of a resource at a time, in the order in which they were added. */
export interface ResourceQueues<Job> {
  add(target: string, job: Job): void
  /** The next one that may be sent, of a resource with none under way. */
  takeNext(): Job | undefined
  /** The one under way of this resource has ended. */
  finish(target: string): void
  /** The one under way holds its resource back: the lane is closed. Answers what stood behind it. */
  block(target: string): Job[]
  /** Whether there is one that may be sent. */
  readonly isReady: boolean
  /** How many have not begun. */
  readonly waiting: number
}

export function makeResourceQueues<Job>(): ResourceQueues<Job> {
  /** Those that have not begun; a lane is there while one is under way, too. */
  const lanes = new Map<string, Job[]>()
  /** Resources with none under way and some waiting, in turn. */
  const ready = new Set<string>()
  let waiting = 0
  return {
    add(target, job) {
      waiting += 1
      const lane = lanes.get(target)
      if (lane) lane.push(job)
      else {
        lanes.set(target, [job])
        ready.add(target)
      }
    },
    takeNext() {
      for (const target of ready) {
        ready.delete(target)
        const job = lanes.get(target)?.shift()
        if (job === undefined) continue
        waiting -= 1
        return job
      }
      return undefined
    },
    finish(target) {
      if (lanes.get(target)?.length) ready.add(target)
      else lanes.delete(target)
    },
    block(target) {
      const behind = lanes.get(target) ?? []
      lanes.delete(target)
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

import { expect, test } from 'vitest'
import { createJobsUnderWay, type DueJobs, processDueJobs, startJobRounds } from './due-jobs.ts'

/** Jobs of services that do not answer until `answer` is called. A job is the name of its service. */
function silentServices(...due: string[]) {
  const answered = Promise.withResolvers<void>()
  const begun: string[] = []
  const jobs: DueJobs<string> = {
    claim: async (limit, saturated) => {
      const claimed = due.filter((service) => !saturated.includes(service)).slice(0, limit)
      for (const service of claimed) due.splice(due.indexOf(service), 1)
      return claimed
    },
    serviceOf: (service) => service,
    process: (service) => {
      begun.push(service)
      return answered.promise
    },
  }
  return { jobs, due, begun, answer: () => answered.resolve() }
}

test('a round that could claim every due job does not wait for services that do not answer', async () => {
  const { jobs, due, begun, answer } = silentServices('a', 'a')
  const underWay = createJobsUnderWay()
  const round = () => processDueJobs(jobs, { underWay, patienceMs: 3_600_000 })
  expect(await round()).toBe(2)
  due.push('b')
  expect(await round()).toBe(1)
  expect(begun).toEqual(['a', 'a', 'b'])
  answer()
  await underWay.awaitEnd()
})

test('a round waits for room for the jobs that it could not claim, and claims them', async () => {
  const { jobs, begun, answer } = silentServices(...Array<string>(100).fill('a'))
  const round = processDueJobs(jobs, { underWay: createJobsUnderWay(), patienceMs: 3_600_000 })
  await expect.poll(() => begun.length).toBeGreaterThan(0)
  expect(begun.length).toBeLessThan(100)
  answer()
  expect(await round).toBe(100)
})

test('a round by itself ends when all of its jobs have ended', async () => {
  const { jobs, answer } = silentServices('a')
  let isOver = false
  const round = processDueJobs(jobs).then(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  answer()
  await round
})

test('stopping the rounds waits for the jobs that are under way', async () => {
  const { jobs, begun, answer } = silentServices('a')
  const rounds = startJobRounds(
    10,
    (round) => processDueJobs(jobs, round),
    () => undefined,
  )
  await expect.poll(() => begun).toEqual(['a'])
  let isStopped = false
  const stopping = rounds.stop().then(() => {
    isStopped = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isStopped).toBe(false)
  answer()
  await stopping
})

import type { World } from '../src/world.ts'

/**
 * Runs `work` before the n-th statement about events that a request makes; after the request if it makes
 * fewer.
 */
export async function beforeStatement<T>(
  world: Pick<World, 'run'>,
  statement: number,
  act: () => Promise<void>,
  request: () => Promise<T>,
): Promise<T> {
  const { run } = world
  let count = 0
  let hasActed = false
  const actOnce = async () => {
    hasActed = true
    world.run = run
    await act()
  }
  world.run = async (text, values) => {
    if (/event/.test(text)) count += 1
    if (count === statement && !hasActed) await actOnce()
    return run(text, values)
  }
  const answer = await request().finally(() => {
    world.run = run
  })
  if (!hasActed) await actOnce()
  return answer
}

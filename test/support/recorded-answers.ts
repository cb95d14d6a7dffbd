import { vi } from 'vitest'

/** Records the body of every answer that this test file gets from now on, until `vi.restoreAllMocks()`. */
export function recordAnswers(): readonly string[] {
  const bodies: string[] = []
  const fetched = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    const answer = await fetched(...request)
    bodies.push(await answer.clone().text())
    return answer
  })
  return bodies
}

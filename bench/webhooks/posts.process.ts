import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'
import { answer } from '../assistant.ts'
import type { Posts } from './posts.ts'

// as outgoing/merchant-http.ts has it
const agent = new Agent({ keepAliveTimeout: 60_000, connections: 32 })

answer(async ({ origin, paths, count, atATime, body }: Posts) => {
  let left = count
  let errors = 0
  const work = async () => {
    while (left > 0) {
      left -= 1
      const path = paths[left % paths.length] ?? '/'
      const headers = { 'content-type': 'application/json', 'webhook-id': randomUUID() }
      const { statusCode, body: answered } = await agent.request({
        origin,
        path,
        method: 'POST',
        headers,
        body,
      })
      await answered.text()
      if (statusCode !== 200) errors += 1
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return { errors }
})

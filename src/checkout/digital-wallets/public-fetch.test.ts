import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fetchPublicText } from './public-fetch.ts'

test('a name that leads to this machine is not requested', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end('secret')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await fetchPublicText(`http://localhost:${port}/`)).toBeUndefined()
  expect(requests).toBe(0)
  server.close()
})

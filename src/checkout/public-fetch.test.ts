import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fetchPublicText, isPublicAddress } from './public-fetch.ts'

test.each([
  ['1.1.1.1', true],
  ['17.253.144.10', true],
  ['2620:149:af0::10', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.1.1', false],
  ['0.0.0.0', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:127.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
])('%s is an address of the internet: %s', (address, expected) => {
  expect(isPublicAddress(address, address.includes(':') ? 6 : 4)).toBe(expected)
})

test('a name that leads to this machine is not asked', async () => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    response.end('secret')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await fetchPublicText(`http://localhost:${port}/`)).toBeUndefined()
  expect(asked).toBe(0)
  server.close()
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { generateKey } from '../src/accounts/api-keys/private-key.ts'
import { launch } from './crash/process.ts'
import { startTestRailyard, type TestRailyard } from './support/railyard.ts'

// processes are started one after the other: on a busy machine each takes seconds
vi.setConfig({ testTimeout: 60_000 })

let folder: string
let railyard: TestRailyard

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'example-start-'))
  await writeFile(join(folder, 'private_key.pem'), (await generateKey('ES512')).privateKeyPem)
  railyard = await startTestRailyard()
})
afterAll(async () => {
  await railyard.close()
  await rm(folder, { recursive: true })
})

const opens = (env: Record<string, string>) =>
  launch(['examples/merchant/server.mjs'], { DATA_DIR: folder, PORT: '0', ...env }, /(?!)/).ended

test('an example shop that cannot start prints one line with the remedy', async () => {
  expect(await opens({ RAILYARD_URL: 'http://127.0.0.1:1' })).toEqual({
    code: 1,
    output:
      'The example shop cannot open: no Railyard answers at http://127.0.0.1:1: start it (npm start), or say with RAILYARD_URL where it is\n',
  })
  expect(await opens({ DATA_DIR: join(folder, 'nowhere'), RAILYARD_URL: railyard.url })).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^The example shop cannot open: \S+private_key.pem cannot be read\. [^\n]+DATA_DIR says where it is\n$/,
    ),
  })
  // the key is another instance's
  expect(await opens({ RAILYARD_URL: railyard.url })).toEqual({
    code: 1,
    output: `The example shop cannot open: the Railyard at ${railyard.url} does not accept the key in ${join(folder, 'private_key.pem')}: DATA_DIR must be the folder of that Railyard\n`,
  })
})

test('an example shop whose port is taken, or is no port, names the setting to change', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const address = taken.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { dataDir } = railyard.world.settings
  try {
    expect(await opens({ DATA_DIR: dataDir, RAILYARD_URL: railyard.url, PORT: `${port}` })).toEqual({
      code: 1,
      output: `The example shop cannot open: port ${port} is taken: PORT says on which the shop listens, and RAILYARD_URL where Railyard is\n`,
    })
    expect(await opens({ DATA_DIR: dataDir, RAILYARD_URL: railyard.url, PORT: 'http' })).toEqual({
      code: 1,
      output: 'The example shop cannot open: PORT must be a whole number from 0 to 65535, and is http\n',
    })
  } finally {
    taken.close()
  }
})

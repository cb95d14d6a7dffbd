import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRailyard } from '@railyard/client'
import { afterAll, expect, test } from 'vitest'
import { launch, launchRailyard } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'

const folder = mkdtempSync(join(tmpdir(), 'railyard-capsule-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a payment is exported into a file, and made again from the file alone', async () => {
  const dataDir = join(folder, 'data')
  await makeInstance(dataDir)
  const service = launchRailyard({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' })
  const { url } = await service.ready
  const { transactions } = createRailyard({
    baseUrl: url,
    privateKey: readFileSync(join(dataDir, 'private_key.pem'), 'utf8'),
  })
  const { id } = await transactions.create({
    amount: 1299,
    currency: 'USD',
    country: 'US',
    payment_method: {
      method: 'card',
      number: '4111111111111111',
      expiration_date: '12/35',
      security_code: '123',
    },
  })
  await transactions.capture(id)
  await service.stop()

  const file = join(folder, 'capsule.json')
  const run = (env: Record<string, string>, ...args: string[]) =>
    launch(['src/main.js', 'capsule', ...args], env, /(?!)/).ended
  expect(await run({ DATA_DIR: dataDir }, 'export', id, '--out', file)).toEqual({
    code: 0,
    output: `${file}: 2 operations, 1 later requests. Read it before you pass it on.\n`,
  })
  expect((await run({ DATA_DIR: dataDir }, 'export', id, '--out', file)).output).toContain('EEXIST')
  expect(await run({}, 'replay', file)).toEqual({
    code: 0,
    output: 'The same: 2 requests, with the recorded outcomes.\n',
  })
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('"captured_amount": 1299', '"captured_amount": 1298'),
  )
  expect(await run({}, 'replay', file)).toEqual({
    code: 1,
    output: 'The first difference: payment, captured_amount: recorded 1298, now 1299\n',
  })
  writeFileSync(file, '{}')
  expect(await run({}, 'replay', file)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^railyard: /),
  })
})

import { randomBytes } from 'node:crypto'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { startKms } from '../../../test/support/kms.ts'
import { handleErrors } from '../../api/server/error-handler.ts'
import { readSettings } from '../../settings.ts'
import { openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'
import { openMasterKeys } from './master-keys.ts'

const context = rowContext('payment_methods', 'berlin', '01')

async function opened(env: Record<string, string>) {
  const masterKeys = await openMasterKeys(readSettings({ DATA_DIR: '/nowhere', ...env }))
  onTestFinished(masterKeys.close)
  return masterKeys
}

test('a secret whose data key was wrapped by a key service opens in its own row only', async () => {
  const kms = await startKms()
  const world = await opened(kms.env)
  const envelope = await sealEnvelope(world, 'a secret', context)
  expect(envelope.key_id).toBe('railyard:v1')
  expect(await openEnvelope(world, envelope, context)).toBe('a secret')
  await expect(openEnvelope(world, envelope, rowContext('payment_methods', 'berlin', '02'))).rejects.toThrow(
    'the key service refuses to decrypt',
  )
})

test('a key that the key service rotates wraps from then on, and what was sealed before still opens', async () => {
  const kms = await startKms()
  const world = await opened(kms.env)
  const envelope = await sealEnvelope(world, 'a secret', context)
  expect(await world.keys.currentKeyId()).toBe('railyard:v1')
  kms.rotate()
  expect(await world.keys.currentKeyId()).toBe('railyard:v2')
  expect(await openEnvelope(world, envelope, context)).toBe('a secret')
})

test('a key service that does not answer, refuses or answers nonsense is a 503 that may be repeated, and no log has the secrets', async () => {
  const kms = await startKms()
  const world = await opened(kms.env)
  const envelope = await sealEnvelope(world, 'a secret', context)
  const logged: string[] = []
  const app = Fastify({
    logger: { level: 'info', stream: { write: (line: string) => void logged.push(line) } },
  })
  onTestFinished(() => app.close())
  handleErrors(app, 'all')
  app.get('/seal', () => sealEnvelope(world, 'another secret', context))
  app.get('/open', () => openEnvelope(world, envelope, context))
  for (const failure of [500, 403, 429, 'malformed', 'reset'] as const) {
    kms.fail(failure)
    for (const url of ['/seal', '/open']) {
      const answer = await app.inject({ url })
      expect([failure, url, answer.statusCode, answer.headers['retry-after']]).toEqual([
        failure,
        url,
        503,
        '2',
      ])
      expect(answer.json()).toMatchObject({ type: 'error', code: 'service_unavailable' })
    }
  }
  kms.fail(undefined)
  expect((await app.inject({ url: '/open' })).body).toBe('a secret')
  const text = logged.join('')
  expect(text).toContain('it answered 403')
  for (const secret of [kms.env.KMS_TOKEN, envelope.data_key.toString('base64'), 'another secret', 'echo'])
    expect(text).not.toContain(secret)
})

test('a secret that was sealed with a local key before the key service was set up opens while that key is configured', async () => {
  const kms = await startKms()
  const ENCRYPTION_KEY = randomBytes(32).toString('base64')
  const envelope = await sealEnvelope(await opened({ ENCRYPTION_KEY }), 'a secret', context)
  const both = await opened({ ENCRYPTION_KEY, ...kms.env })
  expect(await openEnvelope(both, envelope, context)).toBe('a secret')
  expect((await sealEnvelope(both, 'a secret', context)).key_id).toBe('railyard:v1')
})

test('a key service without the name of a key or a token is refused with the missing setting', async () => {
  const kms = await startKms()
  await expect(opened({ KMS_URL: kms.env.KMS_URL, KMS_TOKEN: 't' })).rejects.toThrow(
    /^KMS_KEY_ID must be set with KMS_URL/,
  )
  await expect(opened({ KMS_URL: kms.env.KMS_URL, KMS_KEY_ID: 'k' })).rejects.toThrow(
    /^KMS_TOKEN must be set with KMS_URL/,
  )
})

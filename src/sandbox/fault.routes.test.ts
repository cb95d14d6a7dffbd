import { expect, onTestFinished, test } from 'vitest'
import { startTestRailyard } from '../../test/railyard.ts'

test('faults of providers that cannot be reached are 502, and what they refuse is 400', async () => {
  const alone = await startTestRailyard({ SANDBOX_URL: 'http://127.0.0.1:9' })
  onTestFinished(() => alone.close())
  const unreachable = { status: 502, body: { type: 'error', code: 'bad_gateway', status: 502, details: [] } }
  expect(await alone.admin.get('/sandbox/faults')).toMatchObject(unreachable)
  expect(await alone.admin.put('/sandbox/faults', { items: [] })).toMatchObject(unreachable)
  const whole = await startTestRailyard()
  onTestFinished(() => whole.close())
  expect(await whole.admin.put('/sandbox/faults', { items: [{ operation: '*', kind: 'delay' }] })).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
})

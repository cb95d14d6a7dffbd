import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const presets = '/metrics-explorer/authorization/presets'
const week = {
  display_name: 'A week',
  metric: 'auth_rate',
  filters: { datetime_range: 'P7D/now', country: ['DE', '\u0000'], method: null },
}

test('a preset is created, renamed and deleted, within its account and source', async () => {
  const merchant = await railyard.merchant()
  const created = await merchant.post(presets, week)
  expect(created).toMatchObject({
    status: 200,
    body: {
      type: 'metrics-explorer.preset',
      merchant_account_id: merchant.account,
      display_name: 'A week',
      source: 'authorization',
      metric: 'auth_rate',
      filters: { datetime_range: 'P7D/now', country: ['DE', '\u0000'] },
    },
  })
  const own = `${presets}/${created.body.id}`
  const another = await merchant.post(presets, { ...week, display_name: 'Newer' })
  expect((await merchant.get(presets)).body).toEqual([another.body, created.body])
  expect((await merchant.get('/metrics-explorer/monitoring/presets')).body).toEqual([])
  expect((await railyard.admin.get(presets)).body).toEqual([])
  const renamed = await merchant.put(own, { display_name: 'Seven days' })
  expect(renamed.body).toEqual({
    ...created.body,
    display_name: 'Seven days',
    updated_at: renamed.body.updated_at,
  })
  expect(
    (await merchant.put(`/metrics-explorer/monitoring/presets/${created.body.id}`, { display_name: 'Mine' }))
      .status,
  ).toBe(404)
  expect((await merchant.delete(own)).status).toBe(204)
  expect((await merchant.delete(own)).status).toBe(404)
  expect((await merchant.put(own, { display_name: 'Gone' })).status).toBe(404)
})

test('a preset with an invalid query is refused with the names of its filters', async () => {
  const merchant = await railyard.merchant()
  const refusalOf = async (filters: unknown) => {
    const { status, body } = await merchant.post(presets, { ...week, filters })
    return [status, body.details?.map(({ pointer }: { pointer: string }) => pointer)]
  }
  expect(await refusalOf({ datetime_range: 'P7D' })).toEqual([400, ['/filters/datetime_range']])
  expect(await refusalOf({ datetime_range: 'P7D/now', authorized: ['2'] })).toEqual([
    400,
    ['/filters/authorized'],
  ])
  expect(await refusalOf({ datetime_range: 'P7D/now', metadata: ['{}'] })).toEqual([
    400,
    ['/filters/metadata'],
  ])
  expect((await refusalOf({}))[0]).toBe(422)
  expect((await refusalOf({ datetime_range: 'P7D/now', weather: ['rain'] }))[0]).toBe(422)
  expect((await merchant.post(presets, { ...week, display_name: '\u0000' })).status).toBe(422)
  expect((await merchant.post(presets, { ...week, display_name: '' })).status).toBe(422)
})

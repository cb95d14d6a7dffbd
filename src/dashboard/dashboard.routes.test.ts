import { expect, test } from 'vitest'
import { startTestRailyard } from '../../test/support/railyard.ts'

test('the address of the dashboard answers its page to every client, and a path below it to browsers alone', async () => {
  const railyard = await startTestRailyard()
  const answer = async (path: string, accept: string) => {
    const { status, headers } = await fetch(`${railyard.url}${path}`, { headers: { accept } })
    return [status, headers.get('content-type')]
  }
  const page = [200, 'text/html; charset=utf-8']
  expect(await answer('/dashboard', '*/*')).toEqual(page)
  expect(await answer('/dashboard/default/payments', 'text/html,*/*')).toEqual(page)
  expect(await answer('/dashboard/missing.js', '*/*')).toEqual([404, 'application/json; charset=utf-8'])
  await railyard.close()
})

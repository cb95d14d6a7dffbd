import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()
const NOBODY = '00000000-0000-4000-8000-000000000000'

/** The pages of one thing, such as a payment, under an id that no thing has. */
const paths = globSync('dashboard/src/pages/*/pages.ts')
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/path: '([^']*:[^']*)'/g)])
  .map(([, path = '']) => path.replace(':flow', 'card-transaction').replace(/:\w+/g, NOBODY))
  // neither pages of a flow, which there is, nor those that explain what became of a buyer who is gone
  .filter((path) => path.includes(NOBODY) && !path.endsWith('/erasure') && !path.startsWith('buyers/'))

test('a page of something that does not exist has a heading, says so, and shows the request id', async () => {
  expect(paths.length).toBeGreaterThan(20)
  const page = await desk.open()
  const wrong: string[] = []
  for (const path of paths) {
    await page.goto(desk.url(path))
    const said = page.getByRole('alert').first().getByText('Request id')
    await said.waitFor({ timeout: 5000 }).catch(() => wrong.push(path))
    const headings = await page.getByRole('heading', { level: 1 }).allTextContents()
    if (headings.length !== 1 || headings[0] === '') wrong.push(`${path} ${headings}`)
  }
  expect(wrong).toEqual([])
  await page.goto(desk.url(`payments/${NOBODY}`))
  await page.getByRole('heading', { name: 'Payment', exact: true }).waitFor()
  await see(page, 'It does not exist in this merchant account')
  expect(await barriers(page, 'dashboard-missing')).toEqual([])
})

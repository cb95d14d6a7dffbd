import { afterAll, expect, test } from 'vitest'
import { launchBrowser } from './chromium.ts'
import { openLinkShop } from './link-shop.ts'

const town = await openLinkShop()
// without the checks of the other tests: what the attack does is blocked with an error
const browser = await launchBrowser()
afterAll(() => browser.close())

const EVIL = 'https://evil.example'

test('a script that an intruder plants on the page of a payment link does not run, and opens an incident', async () => {
  const { url } = await town.link()
  const planted = `<script src="${EVIL}/skimmer.js"></script><script>globalThis.skimmer = true</script></body>`
  const attacked = await (await browser.newContext()).newPage()
  await attacked.route(`${EVIL}/**`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'globalThis.skimmer = true' }),
  )
  await attacked.route(url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('</body>', planted) })
  })
  await attacked.goto(url)
  await attacked.locator('body[data-ready]').waitFor()
  expect(await attacked.evaluate('globalThis.skimmer')).toBeUndefined()
  const incidents = async (): Promise<Record<string, unknown>[]> =>
    (await town.shop.get('/hosted-pages/incidents')).body.items
  await expect.poll(incidents, { timeout: 20_000 }).toHaveLength(2)
  expect((await incidents()).map(({ page: name, kind, subject }) => [name, kind, subject])).toEqual(
    expect.arrayContaining([
      ['payment-link', 'script', EVIL],
      ['payment-link', 'script', 'inline'],
    ]),
  )
})

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const sizes = {
  phone: { viewport: { width: 390, height: 844 }, pictured: 'dark' },
  desktop: { viewport: { width: 1280, height: 800 }, pictured: 'light' },
}

/** The rules for each colour scheme: the other one changes only colours. */
const schemes = [
  {
    colorScheme: 'light',
    about: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  },
  { colorScheme: 'dark', about: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
] as const satisfies { colorScheme: string; about: axe.RunOnly }[]

/** The folder of `npm run screenshots`; unset in a test run. */
const folder = process.env['SCREENSHOTS']

/**
 * The accessibility problems of the current page, on a phone and on a desktop, in light and dark. It also
 * takes a picture of each size where pictures are wanted, unless `isPictured` is false.
 */
export async function barriers(page: Page, name: string, isPictured = true): Promise<string[]> {
  const found: string[] = []
  for (const [size, { viewport, pictured }] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const { colorScheme, about } of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const at = `${name}-${size}-${colorScheme}`
      if (folder && isPictured && colorScheme === pictured) await picture(page, at)
      found.push(...(await violations(page, about)).map((violation) => `${at}: ${violation}`))
    }
  }
  return found
}

/** The accessibility problems of one frame of a page, as it is now. */
export const barriersWithin = (frame: Frame): Promise<string[]> => violations(frame, schemes[0].about)

async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder ?? '', { recursive: true })
  // a page behind a dialog is cut at the window's edge
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  await page.screenshot({ path: join(folder ?? '', `${name}.png`), fullPage })
}

async function violations(page: Page | Frame, about: axe.RunOnly): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run({ runOnly })
    return violations.map(
      ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  }, about)
  const sideways = await page.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )
  return sideways ? [...found, 'the page scrolls sideways'] : found
}

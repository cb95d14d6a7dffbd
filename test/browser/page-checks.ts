import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'
import { vi } from 'vitest'

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
 * The accessibility problems of the current page and of its visible frames, on a phone and on a desktop, in light
 * and dark. It also takes a picture of each size where pictures are wanted, unless `isPictured` is false.
 */
export async function barriers(page: Page, name: string, isPictured = true): Promise<string[]> {
  const found: string[] = []
  for (const [size, { viewport, pictured }] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const { colorScheme, about } of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const at = `${name}-${size}-${colorScheme}`
      if (folder && isPictured && colorScheme === pictured) await picture(page, at)
      for (const frame of await visibleFrames(page)) {
        await paintBehind(frame)
        found.push(...(await violations(frame, about)).map((violation) => `${at}: ${violation}`))
      }
    }
  }
  return found
}

async function visibleFrames(page: Page): Promise<Frame[]> {
  const visible = [page.mainFrame()]
  for (const frame of page.frames().filter((each) => each.parentFrame()))
    if (await (await frame.frameElement()).isVisible()) visible.push(frame)
  return visible
}

/** Gives a frame that shows what is behind it that colour, since axe looks at one document. */
async function paintBehind(frame: Frame): Promise<void> {
  const parent = frame.parentFrame()
  if (!parent) return
  const [scheme, color, ink] = await (await frame.frameElement()).evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle: (of: object) => Style }
    type Style = { backgroundColor: string; colorScheme: string; getPropertyValue: (name: string) => string }
    let at: { parentElement: typeof at } | null = element as unknown as { parentElement: null }
    while (at?.parentElement && getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)')
      at = at.parentElement
    const style = getComputedStyle(element)
    return [
      style.colorScheme,
      getComputedStyle(at ?? element).backgroundColor,
      style.getPropertyValue('--ink').trim(),
    ] as const
  })
  // a frame in another process learns of a new colour scheme after its page; the fields of a card stay light, and are
  // told the colours of the page
  const isDark = "matchMedia('(prefers-color-scheme: dark)').matches"
  const labels = "getComputedStyle(document.documentElement).getPropertyValue('--labelColor').trim()"
  const follows = `${isDark} === ${await parent.evaluate(isDark)}`
  const isTold = ink === '' ? 'true' : `['', ${JSON.stringify(ink)}].includes(${labels})`
  // polls from here: a page whose policy refuses eval refuses `frame.waitForFunction`
  const awaited = scheme.includes('dark') ? follows : isTold
  await vi.waitUntil(() => frame.evaluate(awaited), { timeout: 15_000 })
  // browsers show nothing of the page behind a frame of another colour scheme
  await frame.evaluate(
    `if (getComputedStyle(document.documentElement).colorScheme === ${JSON.stringify(scheme)}) document.documentElement.style.backgroundColor = ${JSON.stringify(color)}`,
  )
}
/** The accessibility problems of one frame of a page, as it is now. */
export const barriersWithin = (frame: Frame): Promise<string[]> => violations(frame, schemes[0].about)

async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder ?? '', { recursive: true })
  // a page behind a dialog is cut at the window's edge
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  await page.screenshot({ path: join(folder ?? '', `${name}.png`), fullPage })
}

async function violations(frame: Frame, about: axe.RunOnly): Promise<string[]> {
  if (!(await frame.evaluate('"axe" in globalThis'))) await frame.evaluate(axe.source)
  const found = await frame.evaluate(async (runOnly) => {
    const { axe, parent } = globalThis as unknown as { axe: typeof import('axe-core'); parent: unknown }
    // each frame has its own turn, and the heading is the page's
    const rules = parent === globalThis ? {} : { 'page-has-heading-one': { enabled: false } }
    const { violations } = await axe.run({ runOnly, iframes: false, rules })
    return violations.map(
      ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  }, about)
  const sideways = await frame.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )
  return sideways ? [...found, 'it scrolls sideways'] : found
}

import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { launchBrowser } from './chromium.ts'

/** A browser for all tests of a file. */
export interface TestBrowser {
  /** What the pages of the current test did wrong; a shop may add to it. */
  problems: string[]
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
}

/**
 * Starts a browser. After each test its pages are closed, and none may have thrown or broken a rule of its
 * Content Security Policy.
 */
export async function startBrowserForFile(): Promise<TestBrowser> {
  const browser = await launchBrowser()
  const problems: string[] = []
  afterAll(() => browser.close())
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(problems.splice(0)).toEqual([])
  })
  return {
    problems,
    async newContext(options) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      context.setDefaultTimeout(15_000)
      context.on('weberror', (error) => problems.push(error.error().message))
      context.on(
        'console',
        (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()),
      )
      return context
    },
  }
}

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell first: it has the same engine and needs a fifth of the processor time. */
const paths = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/**
 * The browser for tests: `CHROMIUM`, or the distribution's. Undefined if there is none
 * (`scripts/install-chromium.sh`).
 */
export const chromiumPath = (): string | undefined =>
  [process.env['CHROMIUM'] ?? '', ...paths].find((path) => path !== '' && existsSync(path))

export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (!executablePath) throw new Error('there is no Chromium: scripts/install-chromium.sh')
  // Chromium's own sandbox cannot run as root
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

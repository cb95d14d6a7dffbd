import { existsSync } from 'node:fs'

/** The headless shell first: the same engine, and a page costs it a fifth of the processor time. */
const places = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`)

/** The browser that tests drive: `CHROMIUM`, or the distribution's. Undefined where there is none (`scripts/install-chromium.sh`). */
export const chromiumPath = (): string | undefined => [process.env['CHROMIUM'] ?? '', ...places].find((path) => path !== '' && existsSync(path))

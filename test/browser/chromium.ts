import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser that tests drive: `CHROMIUM`, or the distribution's. Undefined where there is none (`scripts/install-chromium.sh`). */
export const chromiumPath = (): string | undefined => [process.env['CHROMIUM'] ?? '', ...places].find((path) => path !== '' && existsSync(path))

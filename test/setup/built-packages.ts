import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The packages with a bundle, and the script that makes each. */
const built = { client: 'scripts/build-client.js', elements: 'scripts/build-elements.js' }

/** Builds each package whose source has changed, and the dashboard, for the tests that run them. */
export function setup(): void {
  for (const [name, script] of Object.entries(built)) {
    const sources = [
      ...globSync(`packages/${name}/{package.json,src/**/*.{ts,tsx}}`),
      ...globSync('{scripts/packages/*.js,src/elements/loader/*}'),
      script,
    ]
    if (Math.max(...sources.map(changedAt)) > changedAt(`packages/${name}/dist/index.d.cts`))
      execFileSync(process.execPath, [script], { stdio: 'inherit' })
  }
  const dashboard = globSync([
    'dashboard/{*.*,src/**/*.*}',
    'packages/client/src/**/*.ts',
    // what the dashboard says in the words of the checkout
    'src/checkout/decline-*.ts',
  ])
  if (Math.max(...dashboard.map(changedAt)) > changedAt('dashboard/dist/index.html'))
    execFileSync(process.execPath, ['scripts/build-dashboard.js'], { stdio: 'inherit' })
}

import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Builds `@railyard/client` if its source has changed, for the tests that run the package. */
export function setup(): void {
  const sources = [
    ...globSync('packages/client/{package.json,src/**/*.ts}'),
    'scripts/build-client.js',
    'scripts/client/declarations.js',
  ]
  if (Math.max(...sources.map(changedAt)) > changedAt('packages/client/dist/index.d.cts'))
    execFileSync(process.execPath, ['scripts/build-client.js'], { stdio: 'inherit' })
}

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from './kubernetes.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const CHART = 'deploy/helm/railyard'

const found = run('bash', ['scripts/install-helm.sh'], { cwd: root }).then(({ stdout }) => stdout.trim())
// `helm` rejects with the error
found.catch(() => undefined)

/** Runs helm in the root of the repository and answers what it prints. Throws what it refuses. */
export async function helm(...args: string[]): Promise<string> {
  const { stdout } = await run(await found, args, { cwd: root, maxBuffer: 16 * 2 ** 20 })
  return stdout
}

/** The objects that `helm install RELEASE` would send, hooks too. `args`: `--values FILE`, `--set NAME=VALUE`. */
export async function render(args: string[], release = 'railyard', chart = CHART): Promise<Manifest[]> {
  const text = await helm('template', release, chart, ...args)
  return parseAllDocuments(text)
    .map((document) => document.toJS({ maxAliasCount: 0 }))
    .filter((object) => object !== null)
}

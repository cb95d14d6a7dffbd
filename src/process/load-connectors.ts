import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock } from '../base/clock.ts'
import type { Connector } from '../connectors/contract/connector.ts'
import {
  type ConnectorOptions,
  contractVersion,
  type LoadedPackage,
} from '../connectors/contract/connector-package.ts'
import { definitionProblems } from '../connectors/contract/definition-problems.ts'
import { connectors } from '../connectors/registry.ts'
import { InvalidSetting, type Settings } from '../settings.ts'

/** Why the connectors of a package cannot be used; the message names the package. */
export class UnusablePackage extends Error {}

/** The connectors of the packages that `CONNECTORS` names. Throws `InvalidSetting`. */
export async function loadConnectors(
  { connectors: names, environment }: Pick<Settings, 'connectors' | 'environment'>,
  clock: Clock,
): Promise<Connector[]> {
  if (names.length === 0) return []
  const isSandbox = environment === 'sandbox'
  // the sandbox has every connector of Railyard's own
  const own = connectors({ sandboxUrl: 'http://127.0.0.1', clock })
  const taken = new Map([...own.keys()].map((id) => [id, 'Railyard itself']))
  const loaded = []
  try {
    for (const name of names)
      for (const connector of connectorsOf(name, await importPackage(name), { clock, isSandbox })) {
        const { id } = connector.definition
        const other = taken.get(id)
        if (other) throw new UnusablePackage(`${name} has a connector ${id}, and so has ${other}`)
        taken.set(id, name)
        loaded.push(connector)
      }
  } catch (error) {
    if (error instanceof UnusablePackage) throw new InvalidSetting(`CONNECTORS: ${error.message}`)
    throw error
  }
  return loaded
}

/** The default export of a package, by its name or its path. Throws `UnusablePackage`. */
export async function importPackage(name: string): Promise<LoadedPackage> {
  const found: unknown = await import(importable(name)).catch((error) => {
    throw new UnusablePackage(`${name} cannot be loaded: ${loadProblem(name, error)}`)
  })
  const { default: loaded } = isObject(found) ? found : {}
  if (!isObject(loaded) || !('contractVersion' in loaded))
    throw new UnusablePackage(
      `${name} has no default export with a contractVersion: it is no package of connectors`,
    )
  if (loaded['contractVersion'] !== contractVersion)
    throw new UnusablePackage(
      `${name} is for version ${loaded['contractVersion']} of the connectors' contract, and this is version ${contractVersion}`,
    )
  if (!isPackage(loaded)) throw new UnusablePackage(`${name} has no function connectors`)
  return loaded
}

/** The connectors of a package, each with a definition that can be used. Throws `UnusablePackage`. */
export function connectorsOf(
  name: string,
  loaded: LoadedPackage,
  options: ConnectorOptions,
): readonly Connector[] {
  const all = called(name, () => loaded.connectors(options))
  for (const connector of all) {
    const problems = called(name, () => definitionProblems(connector))
    if (problems.length > 0)
      throw new UnusablePackage(
        `${name}: the definition of ${connector.definition.id} is wrong: ${problems.join('; ')}`,
      )
  }
  return all
}

/** What a package's code answers; an error that it throws is about the package. */
function called<Result>(name: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new UnusablePackage(`${name}: its connectors cannot be read: ${firstLine(error)}`)
  }
}

const isPath = (name: string): boolean => /^(?:\.{1,2}(?:\/|$)|\/)/.test(name)

/** What `import` takes: the URL of a path from the working directory, or the name of a package. */
function importable(name: string): string {
  if (!isPath(name)) return name
  const path = resolve(name)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return pathToFileURL(isFolder ? join(path, entryOf(name, path)) : path).href
}

/** The file that a folder's package.json names: `exports`, if it is one file, else `main`. */
function entryOf(name: string, folder: string): string {
  const manifest = called(name, () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const { exports: exported, main } = manifest
  const root = isObject(exported) && '.' in exported ? exported['.'] : exported
  const entry = isObject(root) ? (root['import'] ?? root['default']) : root
  return [entry, main].find((each) => typeof each === 'string') ?? 'index.js'
}

/** Why an import failed, and for a name that is not there what the operator can do. */
function loadProblem(name: string, error: unknown): string {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing || !firstLine(error).includes(isPath(name) ? resolve(name) : `'${name}'`))
    return firstLine(error)
  return isPath(name)
    ? `there is no module at ${resolve(name)}; paths begin at the working directory`
    : `no package of this name is installed beside Railyard; install it there (npm install --no-save <folder or package>), or give its path, which begins with ./ or /`
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isPackage = (loaded: object): loaded is LoadedPackage =>
  'connectors' in loaded && typeof loaded.connectors === 'function'

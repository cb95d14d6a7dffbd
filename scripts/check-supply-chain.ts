import { existsSync, readFileSync } from 'node:fs'

// node scripts/check-supply-chain.ts: what can be said of the dependencies from the lock file and what is
// installed, without asking anybody

interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  license?: string
  hasInstallScript?: boolean
  link?: boolean
  /** Within the archive of the package around it, whose hash is its own. */
  inBundle?: boolean
}

/** Licences that go with Apache-2.0, by their SPDX names. */
const licences = new Set(
  '0BSD Apache-2.0 Artistic-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC-BY-3.0 CC-BY-4.0 CC0-1.0 ISC MIT MIT-0 MIT/X11 MPL-2.0 OFL-1.1 Python-2.0 Unlicense WTFPL Zlib'.split(
    ' ',
  ),
)

/**
 * Of packages that have the text of a licence and do not name it, each in the version in which it was read.
 */
const licencesThatWereRead: Readonly<Record<string, string>> = { 'khroma@2.1.0': 'MIT' }

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
const lock: { packages: Record<string, Locked> } = read('package-lock.json')
const { allowScripts = {} }: { allowScripts?: Record<string, boolean> } = read('package.json')

/** `(MIT OR Apache-2.0)` is the reader's choice; `AND` is both. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((each) => licences.has(each.trim())))

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * What the package says of itself where the lock file is silent; a package for another system is not
 * installed.
 */
function licenceOf(path: string, { license, version }: Locked): string | undefined {
  if (license !== undefined) return license
  const text = licencesThatWereRead[`${nameOf(path)}@${version}`]
  if (text !== undefined) return text
  if (!existsSync(new URL(`../${path}/package.json`, import.meta.url))) return undefined
  const { license: said, licenses } = read(`${path}/package.json`)
  return typeof said === 'string' ? said : (said?.type ?? licenses?.[0]?.type ?? 'none')
}

const problems = Object.entries(lock.packages).flatMap(([path, locked]) => {
  // this repository's own packages
  if (path === '' || locked.link || path.startsWith('packages/') || path === 'dashboard') return []
  const licence = licenceOf(path, locked)
  return [
    ...(locked.inBundle || locked.integrity?.startsWith('sha512-')
      ? []
      : [`${path}: no SHA-512 of it is locked`]),
    ...(locked.resolved === undefined || locked.resolved.startsWith('https://registry.npmjs.org/')
      ? []
      : [`${path}: comes from ${locked.resolved}`]),
    ...(locked.hasInstallScript && allowScripts[nameOf(path)] === undefined
      ? [`${path}: has an install script that allowScripts does not name`]
      : []),
    ...(licence === undefined || isAllowed(licence) ? [] : [`${path}: its licence is ${licence}`]),
  ]
})
for (const problem of problems) console.log(problem)
console.log(`${Object.keys(lock.packages).length - 1} packages: ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1

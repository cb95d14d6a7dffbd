import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// `npm run release -- --dry-run` builds and packs every package under packages/ that is not private, each with
// a CycloneDX SBOM, into the folder `release` or that of --out. It publishes nothing

interface Manifest {
  name: string
  version: string
  private?: boolean
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string', default: 'release' } },
})
if (!values['dry-run']) {
  console.error('Nothing is published from here: npm run release -- --dry-run')
  process.exit(2)
}

/** Runs npm with words, and further arguments that may contain spaces. */
const npm = (cwd: string, words: string, ...more: string[]): string =>
  execFileSync('npm', [...words.split(' '), ...more], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

const manifestOf = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8'))

/**
 * The SBOM of a packed package, as a project that installs it would have it: in this repository, npm answers
 * that of the whole workspace.
 */
function sbomOf(name: string, tarball: string): string {
  const place = mkdtempSync(join(tmpdir(), 'railyard-sbom-'))
  try {
    execFileSync('tar', ['-xzf', tarball, '-C', place])
    const unpacked = join(place, 'package')
    installFromHere(unpacked)
    npm(unpacked, 'install --package-lock-only --omit dev --ignore-scripts --prefer-offline --no-audit')
    const sbom = JSON.parse(
      npm(unpacked, 'sbom --package-lock-only --omit dev --sbom-format cyclonedx --sbom-type library'),
    )
    // npm names it after the folder
    sbom.metadata.component.name = name
    return `${JSON.stringify(sbom, null, 2)}\n`
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** No registry has the packages of this release yet: what a package needs of them is packed beside it. */
function installFromHere(unpacked: string): void {
  const file = join(unpacked, 'package.json')
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const { name } of packages)
    if (manifest.dependencies?.[name]) manifest.dependencies[name] = `file:${join(folder, tarballOf(name))}`
  writeFileSync(file, JSON.stringify(manifest))
}

const baseNameOf = (name: string): string => `${name.replace('@', '').replace('/', '-')}-${version}`
const tarballOf = (name: string): string => `${baseNameOf(name)}.tgz`

const { version } = manifestOf('package.json')
const packages = globSync('packages/*/package.json', { cwd: root }).toSorted().map(manifestOf)
const otherVersions = packages.filter((each) => each.version !== version).map(({ name }) => name)
if (otherVersions.length > 0)
  throw new Error(`${otherVersions.join(', ')}: the version is not ${version}, as that of Railyard`)

const folder = resolve(root, values.out)
mkdirSync(folder, { recursive: true })

const checksums: string[] = []
for (const { name, scripts, private: isPrivate } of packages) {
  if (isPrivate) {
    console.log(`${name}: left out, because it is private`)
    continue
  }
  if (scripts?.['build']) npm(root, 'run build --workspace', name)
  const file = baseNameOf(name)
  npm(root, 'pack --ignore-scripts --workspace', name, '--pack-destination', folder)
  writeFileSync(join(folder, `${file}.cdx.json`), sbomOf(name, join(folder, tarballOf(name))))
  for (const each of [tarballOf(name), `${file}.cdx.json`]) {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, each)))
      .digest('hex')
    checksums.push(`${digest}  ${each}\n`)
  }
}
writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''))
process.stdout.write(checksums.join(''))

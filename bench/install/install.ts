import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exactly, type Goal, number, table } from '../report.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const HEAVIEST = 12

/** The size of a production image besides Node: `npm ci --omit=dev` in a new folder. */
export async function measureInstall(): Promise<{ goals: Goal[]; problems: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-bench-'))
  try {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(root, file), join(folder, file))
    const began = performance.now()
    execFileSync(
      'npm',
      ['ci', '--omit=dev', '--omit=optional', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund'],
      {
        cwd: folder,
        stdio: 'pipe',
      },
    )
    const seconds = (performance.now() - began) / 1_000
    const packages = await installed(join(folder, 'node_modules'))
    const sizes = packages.map((path) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 13),
      mb: megabytes(path, 'node_modules'),
    }))
    const heaviest = sizes.toSorted((a, b) => b.mb - a.mb).slice(0, HEAVIEST)
    const [total, own] = [megabytes(join(folder, 'node_modules')), megabytes(join(root, 'src'))]
    console.log('\n### Production install\n')
    console.log(
      `${packages.length} packages in ${number(seconds)} s, ${number(total)} MB; Railyard’s own source is ${number(own)} MB, its tests included\n`,
    )
    console.log(
      table(
        ['package', 'MB'],
        heaviest.map(({ name, mb }) => [name, number(mb)]),
      ),
    )
    return {
      problems: [],
      goals: [
        {
          name: 'P14 production install',
          figure: exactly(total),
          unit: 'MB',
          better: 'lower',
          gate: 80,
          aim: 50,
        },
        {
          name: 'P14 packages of it',
          figure: exactly(packages.length),
          unit: '',
          better: 'lower',
          gate: 150,
        },
      ],
    }
  } catch (error) {
    console.error(
      `  the install is left out: ${error instanceof Error ? error.message.split('\n')[0] : error}; it needs a registry`,
    )
    return { goals: [], problems: [] }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The folders of all packages, also of those within others. */
async function installed(modules: string): Promise<string[]> {
  const lock: unknown = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const paths =
    typeof lock === 'object' && lock !== null && 'packages' in lock ? Object.keys(lock.packages ?? {}) : []
  const here = new Set(await readdir(modules))
  return paths.filter((path) => here.has(path.split('/')[1] ?? '')).map((path) => join(modules, '..', path))
}

/** The size on the disk in blocks; `without` leaves out folders of that name. */
function megabytes(path: string, without?: string): number {
  const [kilobytes] = execFileSync('du', ['-sk', ...(without ? [`--exclude=${without}`] : []), path], {
    encoding: 'utf8',
  }).split('\t')
  return Number(kilobytes) / 1024
}

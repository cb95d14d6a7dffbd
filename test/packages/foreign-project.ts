import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The ways in which a project resolves a package, each with the source that it compiles. */
export const resolutionsOf = ({ esm, commonjs }: { esm: string; commonjs: string }) => [
  ['nodenext', 'index.mts', esm] as const,
  ['nodenext', 'index.cts', commonjs] as const,
  ['bundler', 'index.ts', esm] as const,
]

/** Compiles a source in a folder of a project with the strictest options; answers what the compiler prints. */
export async function compileStrictly(
  project: string,
  [resolution, file, source]: readonly [string, string, string],
  lib = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
): Promise<string> {
  const folder = join(project, `${resolution}-${file.slice(6)}`)
  await mkdir(folder)
  await writeFile(join(folder, file), source)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    lib,
    types: [],
    module: resolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution: resolution,
    exactOptionalPropertyTypes: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [file] }))
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc')
  // a compiler that finds an error ends with another code than 0
  const { stdout } = await run('node', [tsc, '-p', folder], { cwd: folder }).catch(({ stdout }) => ({
    stdout,
  }))
  return stdout
}

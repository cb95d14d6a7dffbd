// @ts-check
import { statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { bundle, bundledProgram, root, SOURCES, sourceNow } from '../src/bundled.js'

// npm run build, and npm ci by itself: the program in one piece (src/bundled.js). JavaScript, since npm ci may run it with another Node than the service's

/** Renamed when it is whole: nobody starts a part of it. */
const partial = `${bundle}-${process.pid}`
const replaced = `${partial}-replaced`
const isOwn = (/** @type {string} */ file) => file.startsWith(join(root, 'src'))

/** What finds its own files by where it lies, and what is not installed everywhere. */
const external = [
  /^@electric-sql\/pglite/,
  /^pino$/,
  /^@opentelemetry\//,
  /^@fastify\/otel$/,
  /^@scalar\//,
  /^pg-native$/,
]

/** The thread of the embedded database, a program of its own, which the bundle has beside it. */
const THREAD = 'embedded-worker'

const escaped = (/** @type {string} */ code) =>
  code.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** @param {typeof import('rolldown')} bundler */
async function build({ rolldown }) {
  /** @type {import('../src/bundled.js').Source[]} */
  const sources = [sourceNow('package-lock.json')]
  const ownFiles = {
    name: 'own-files',
    // looked at before it is read: what is changed meanwhile is another file than the one in the bundle
    load: (/** @type {string} */ file) => {
      if (isOwn(file)) sources.push(sourceNow(relative(root, file)))
      return undefined
    },
    // migrations, the pages' scripts and the like stay where they are, next to the source that reads them
    transform: (/** @type {string} */ code, /** @type {string} */ file) =>
      isOwn(file)
        ? code
            .replace(`new URL('./${THREAD}.ts', import.meta.url)`, `new URL('./${THREAD}.js', IMPORTED_FROM)`)
            .replaceAll('import.meta.url', `new URL('../${relative(root, file)}', import.meta.url).href`)
            .replace('IMPORTED_FROM', 'import.meta.url')
        : undefined,
  }
  // for one other character V8 keeps the whole file in twice the memory, and reads it more slowly
  const inAscii = {
    name: 'in-ascii',
    generateBundle(/** @type {unknown} */ _, /** @type {import('rolldown').OutputBundle} */ files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escaped(file.code)
    },
  }
  const program = await rolldown({
    input: {
      program: join(root, 'src/cli/run.ts'),
      [THREAD]: join(root, `src/database/embedded/${THREAD}.ts`),
    },
    platform: 'node',
    external,
    plugins: [ownFiles, inAscii],
  })
  await program.write({
    dir: partial,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await program.close()
  // files are loaded side by side: sorted, the list is the same in every build
  await writeFile(join(partial, SOURCES), JSON.stringify(sources.sort(([a], [b]) => (a < b ? -1 : 1))))
  await rename(bundle, replaced).catch(() => undefined) // there was none
  await rename(partial, bundle)
  await rm(replaced, { recursive: true, force: true })
}

/** Whether the bundle is what this file would make: a process that is starting from it keeps its files. */
const isMade = () =>
  bundledProgram() !== undefined &&
  statSync(import.meta.filename).mtimeMs < statSync(join(bundle, SOURCES)).mtimeMs

try {
  if (!isMade()) await build(await import('rolldown'))
} catch (error) {
  await rm(partial, { recursive: true, force: true })
  console.error(
    `railyard: no bundle was made (${error instanceof Error ? error.message : error}). The source runs as it is, and starts in twice the time.`,
  )
  // an installation is whole without it: the bundler is a development dependency, and not there for every system
  if (process.env['npm_lifecycle_event'] !== 'prepare') process.exitCode = 1
}

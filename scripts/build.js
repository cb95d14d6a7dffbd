// @ts-check
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { bundle, root, SOURCES, sourceNow } from '../src/bundled.js'

// npm run build, and npm ci by itself: the program in one piece (src/bundled.js). JavaScript, since npm ci may run it with another Node than the service's

const isOwn = (/** @type {string} */ file) => file.startsWith(join(root, 'src'))

/** What finds its own files by where it lies, and what is not installed everywhere. */
const external = [/^@electric-sql\/pglite/, /^pino$/, /^@opentelemetry\//, /^@fastify\/otel$/, /^@scalar\//, /^pg-native$/]

/** Migrations, the pages' scripts and the like stay where they are, next to the source that reads them. */
const besideTheSource = {
  name: 'beside-the-source',
  transform: (/** @type {string} */ code, /** @type {string} */ file) =>
    isOwn(file) ? code.replaceAll('import.meta.url', `new URL('../${relative(root, file)}', import.meta.url).href`) : undefined,
}

/** @param {typeof import('rolldown')} bundler */
async function build({ rolldown }) {
  const program = await rolldown({ input: join(root, 'src/cli/program.ts'), platform: 'node', external, plugins: [besideTheSource] })
  // renamed when it is whole: nobody starts a part of it
  const partial = `${bundle}-${process.pid}`
  const { output } = await program.write({ dir: partial, comments: false, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  await program.close()
  const files = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds.filter(isOwn) : []))
  const sources = [...files.map((file) => relative(root, file)), 'package-lock.json'].map(sourceNow)
  await writeFile(join(partial, SOURCES), JSON.stringify(sources))
  await rm(bundle, { recursive: true, force: true })
  await rename(partial, bundle)
}

const bundler = await import('rolldown').catch(() => undefined)
if (bundler) await build(bundler)
else console.log('railyard: the bundler, a development dependency, is not here. The source runs as it is, and starts in twice the time.')

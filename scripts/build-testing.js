// @ts-check
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { bundle, root, SOURCES } from '../src/bundled.js'

// npm run build --workspace @railyard/testing, and npm ci by itself: the package as it is published. dist/railyard
// is the service as JavaScript, since Node strips no types below node_modules: the bundle, and the files that it
// reads, in the same places as in this repository. JavaScript, since npm ci may run it with another Node than the
// service's

const folder = join(root, 'packages/testing')

/** Sources that are in the bundle, or for readers. Any other file is read by the program. */
const LEFT_OUT = ['.ts', '.cts', '.md']

const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8')

/** @param {string} place */
function writeService(place) {
  const copy = (/** @type {string} */ file) => {
    mkdirSync(dirname(join(place, file)), { recursive: true })
    cpSync(join(root, file), join(place, file))
  }
  for (const file of readdirSync(bundle)) copy(join('dist', file))
  // the bundle is complete without the source that it was made of
  writeFileSync(join(place, 'dist', SOURCES), '[]')
  for (const name of readdirSync(join(root, 'src'), { recursive: true })) {
    const file = join('src', String(name))
    if (statSync(join(root, file)).isFile() && !LEFT_OUT.includes(extname(file))) copy(file)
  }
  const { version } = JSON.parse(read('package.json'))
  writeFileSync(
    join(place, 'package.json'),
    `${JSON.stringify({ name: 'railyard', version, private: true, type: 'module' }, null, 2)}\n`,
  )
}

/**
 * The types for `import` and for `require`. `testing.d.cts` says what the package has; the types of the amounts
 * lie beside it.
 *
 * @param {string} place
 */
function writeTypes(place) {
  const types = read('src/testing/testing.d.cts')
  const amounts = read('src/testing/testing-amounts.d.cts')
  for (const extension of ['ts', 'cts']) {
    const module = extension === 'ts' ? 'js' : 'cjs'
    writeFileSync(
      join(place, `index.d.${extension}`),
      types.replaceAll('./testing-amounts.d.cts', `./amounts.${module}`),
    )
    writeFileSync(join(place, `amounts.d.${extension}`), amounts)
  }
}

/** @param {string} place */
function writeEntries(place) {
  writeFileSync(
    join(place, 'index.cjs'),
    "module.exports = require('./railyard/src/testing/start-railyard.cjs')\n",
  )
  writeFileSync(
    join(place, 'index.js'),
    "import testing from './index.cjs'\n\nexport const { amounts, card, startRailyard } = testing\n",
  )
}

async function build() {
  const partial = await mkdtemp(join(folder, '.building-'))
  try {
    writeService(join(partial, 'railyard'))
    writeTypes(partial)
    writeEntries(partial)
    chmodSync(partial, 0o755)
    // a program that imports it meanwhile finds the one or the other
    await rename(join(folder, 'dist'), `${partial}-before`).catch(() => undefined)
    await rename(partial, join(folder, 'dist'))
  } finally {
    for (const left of [partial, `${partial}-before`]) rmSync(left, { recursive: true, force: true })
  }
}

try {
  await build()
} catch (error) {
  console.error(`@railyard/testing: not built (${error instanceof Error ? error.message : error})`)
  // an installation of the service is whole without it: there is no bundle without the development dependencies
  if (process.env['npm_lifecycle_event'] !== 'prepare') process.exitCode = 1
}

// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildPackage } from './packages/build-package.js'

// npm run build --workspace @railyard/elements, and npm ci by itself: the bundles and the types of
// packages/elements. JavaScript, since npm ci may run it with another Node than the service's

/** Every checkout page of a merchant loads it. */
const MOST_GZIPPED_BYTES = 5_000

await buildPackage({
  name: '@railyard/elements',
  folder: fileURLToPath(new URL('../packages/elements/', import.meta.url)),
  mostGzippedBytes: MOST_GZIPPED_BYTES,
  async write({ rolldown, folder, partial }) {
    await writeReact(folder, partial)
    // for pages without a bundler: `railyard` is a global variable
    const loader = await rolldown({ input: { loader: `${folder}src/index.ts` }, platform: 'browser' })
    await loader.write({
      dir: partial,
      format: 'iife',
      name: 'railyard',
      entryFileNames: 'loader.js',
      minify: true,
      comments: false,
    })
    await loader.close()
    const script = readFileSync(`${partial}/loader.js`)
    const size = gzipSync(script).length
    if (size > MOST_GZIPPED_BYTES)
      throw new Error(`loader.js has ${size} bytes gzipped, more than ${MOST_GZIPPED_BYTES}`)
    const integrity = `sha256-${createHash('sha256').update(script).digest('base64')}`
    console.log(`@railyard/elements: loader.js has ${size} bytes gzipped, integrity ${integrity}`)
  },
})

/**
 * The components for React, beside the bundle that they import: a page has one copy of everything.
 *
 * @param {string} folder
 * @param {string} partial
 */
async function writeReact(folder, partial) {
  const { default: ts } = await import('typescript')
  const source = readFileSync(`${folder}src/react.ts`, 'utf8')
  for (const [module, script, types] of /** @type {const} */ ([
    [ts.ModuleKind.ESNext, 'js', 'd.ts'],
    [ts.ModuleKind.CommonJS, 'cjs', 'd.cts'],
  ])) {
    const compilerOptions = { module, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: false }
    const code = ts.transpileModule(source, { compilerOptions }).outputText
    const declarations = ts.transpileDeclaration(source, { compilerOptions }).outputText
    writeFileSync(`${partial}/react.${script}`, withImport(code, script))
    writeFileSync(`${partial}/react.${types}`, withImport(declarations, script))
  }
}

/**
 * @param {string} text
 * @param {string} extension
 */
function withImport(text, extension) {
  return text.replace(/(['"])\.\/index\.ts\1/g, `'./index.${extension}'`)
}

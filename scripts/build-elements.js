// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildPackage } from './packages/build-package.js'

// npm run build --workspace @railyard/elements, and npm ci by itself: the bundles and the types of
// packages/elements. JavaScript, since npm ci may run it with another Node than the service's

const folder = fileURLToPath(new URL('../packages/elements/', import.meta.url))

await buildPackage({
  name: '@railyard/elements',
  folder,
  // every checkout page of a merchant loads it
  mostGzippedBytes: 5_000,
  write: writeReact,
})

/**
 * The components for React, beside the bundle that they import: a page has one copy of everything.
 *
 * @param {string} partial
 */
async function writeReact(partial) {
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
  return text.replaceAll(/(['"])\.\/index\.ts\1/g, `'./index.${extension}'`)
}

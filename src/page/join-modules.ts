import { readFileSync } from 'node:fs'

/**
 * Modules of a page as one script, each after those that it imports. Their names are unique, so it is enough to
 * remove `import` and `export`; comments are for those who read the source. No bundler is needed in production.
 */
export const joinModules = (modules: readonly URL[]): string =>
  modules
    .map((url) => readFileSync(url, 'utf8'))
    .join('\n')
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^import [^']*'.*'$/gm, '')
    .replace(/^export /gm, '')

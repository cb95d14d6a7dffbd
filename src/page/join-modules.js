// @ts-check
import { readFileSync } from 'node:fs'

/**
 * The modules of a script for browsers, joined, without comments. `urls` has each module after those that it
 * imports. Their names are unique, so it is enough to remove `import` and `export`; no bundler is needed in
 * production.
 *
 * @param {readonly URL[]} urls
 */
export const joinModules = (urls) =>
  urls
    .map((url) => readFileSync(url, 'utf8'))
    .join('\n')
    .replace(/^import [^']*'.*'$/gm, '')
    .replace(/^export /gm, '')
    // comments are for those who read the source
    .replace(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, '')

import { readFileSync } from 'node:fs'

/**
 * Modules of a page as one script, each after those that it imports; throws if one is missing. Their names are
 * unique, so it is enough to remove `import` and `export`; comments are for those who read the source. No bundler
 * is needed in production.
 */
export function joinModules(modules: readonly URL[]): string {
  const joined = new Set<string>()
  const sources = modules.map((url) => {
    const source = readFileSync(url, 'utf8')
    for (const [, path = ''] of source.matchAll(/^import [^']*'(.*)'$/gm))
      if (!joined.has(new URL(path, url).href))
        throw new Error(`${url.pathname} imports ${path}, which is not joined before it`)
    joined.add(url.href)
    return source
  })
  return sources
    .join('\n')
    .replace(/^\s*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, '')
    .replace(/^import [^']*'.*'$/gm, '')
    .replace(/^export /gm, '')
}

import { readFileSync } from 'node:fs'

/** A fenced block of a page. */
export interface Block {
  /** The line of its opening fence, from 1. */
  line: number
  language: string
  /**
   * What stands behind the language: `no-run`, `stopped` for commands that need the service stopped, or the
   * name of the file that a reader saves it as.
   */
  info: string
  code: string
}

/** A block in a list is indented; the closing fence is indented as the opening one. */
const fence = /^( *)```(\w*)[ \t]*([^\n]*)\n([\s\S]*?)^\1```$/gm

export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8')
  return Array.from(
    text.matchAll(fence),
    ({ index, 1: indent = '', 2: language = '', 3: info = '', 4: code = '' }) => ({
      line: text.slice(0, index).split('\n').length,
      language,
      info: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

/**
 * The blocks as one program. Its lines have the numbers that they have in the page, so that an error names
 * the line of the page.
 */
export function programOf(blocks: readonly Block[]): string {
  const lines: string[] = []
  for (const { line, code } of blocks) {
    while (lines.length < line) lines.push('')
    lines.push(...code.replace(/\n$/, '').split('\n'))
  }
  return `${lines.join('\n')}\n`
}

/** What a program says that it prints: the comments behind its `console.log(…)`. */
export const expectedLines = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ code }) =>
    Array.from(code.matchAll(/^ *console\.log\(.*\) +\/\/ (.+)$/gm), ([, text = '']) => text),
  )

/** What a shell program says that it prints: the comments `# → …` behind its commands. */
export const expectedShellLines = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ code }) => Array.from(code.matchAll(/^[^#\n].* # → (.+)$/gm), ([, text = '']) => text))

/** A piece of text in which people refer to other files: a comment, or words in backticks. */
export interface Prose {
  text: string
  line: number
}

/** Strings come first, so that `https://…` in one of them begins no comment. */
const stringOrComment =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const hashComment = /(?:^|\s)#[^\n]*/g
const dashComment = /--[^\n]*/g
const inlineCode = /`([^`\n]+)`/g

const commentsBy: Record<string, RegExp> = {
  ts: stringOrComment,
  cts: stringOrComment,
  js: stringOrComment,
  mjs: stringOrComment,
  cjs: stringOrComment,
  sql: dashComment,
  sh: hashComment,
  yml: hashComment,
  yaml: hashComment,
}

export const extensionOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

/** The comments of a source file; none where its language is not known. */
export function commentsOf(path: string, text: string): Prose[] {
  const expression = commentsBy[extensionOf(path)]
  if (!expression) return []
  const lineAt = lineCounter(text)
  return Array.from(text.matchAll(expression), ({ 0: found, index }) => ({
    text: found,
    line: lineAt(index),
  })).filter(({ text: found }) => !/^['"`]/.test(found))
}

/** What a Markdown page has in backticks, outside its blocks of code. */
export function inlineCodeOf(text: string): Prose[] {
  const lineAt = lineCounter(text)
  return Array.from(withoutCodeBlocks(text).matchAll(inlineCode), ({ 1: code = '', index }) => ({
    text: code,
    line: lineAt(index),
  }))
}

/** Blocks of code become spaces: positions and lines stay what they are. */
export const withoutCodeBlocks = (text: string): string =>
  text.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm, (block) =>
    block.replaceAll(/[^\n]/g, ' '),
  )

/** The line, from 1, of a position. Positions must be asked for in their order. */
export function lineCounter(text: string): (position: number) => number {
  let line = 1
  let counted = 0
  return (position) => {
    for (; counted < position; counted++) if (text.charCodeAt(counted) === 10) line++
    return line
  }
}

import { withoutCodeBlocks } from './prose.ts'

/**
 * The anchors of a Markdown page: those of its headings, as GitHub makes them, and those that it names
 * itself.
 */
export function anchorsOf(text: string): Set<string> {
  const prose = withoutCodeBlocks(text)
  const anchors = new Set(Array.from(prose.matchAll(/<a (?:id|name)="([^"]+)"/g), ([, id = '']) => id))
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = toSlug(heading)
    let unique = slug
    for (let twin = 1; anchors.has(unique); twin++) unique = `${slug}-${twin}`
    anchors.add(unique)
  }
  return anchors
}

/** A heading's anchor by GitHub's rule, which the documentation site follows too. */
export const toSlug = (heading: string): string =>
  heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

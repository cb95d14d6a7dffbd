import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { toSlug } from '../../scripts/references/anchors.ts'
import { sectionOf } from './sections.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Pages outside docs that pages of docs link to. */
const otherPages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  'packages/testing/README.md',
  'packages/client/README.md',
]

/** A token of markdown-it, as far as it is needed here. */
interface Token {
  type: string
  tag: string
  info: string
  content: string
  children: Token[] | null
  attrGet: (name: string) => string | null
  attrs: [string, string][] | null
}

/**
 * The README is the site’s first page. A link to a file of the repository that is no page of this site
 * becomes its text; to a folder with an index, a link to that.
 */
function settleLink(open: Token, close: Token, page: string): void {
  const href = open.attrGet('href') ?? ''
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return
  const [path = '', anchor] = href.split('#')
  const target = posix.join(dirname(page), decodeURIComponent(path)).replace(/\/$/, '')
  if (target === 'README.md') {
    open.attrs = [['href', `/${anchor ? `#${anchor}` : ''}`]]
    return
  }
  const isPage = target.endsWith('.md') && (target.startsWith('docs/') || otherPages.includes(target))
  if (isPage || !existsSync(join(root, target))) return
  if (existsSync(join(root, target, 'index.md'))) {
    open.attrs = [['href', `${path.replace(/\/$/, '')}/index.md${anchor ? `#${anchor}` : ''}`]]
    return
  }
  open.tag = close.tag = 'span'
  open.attrs = null
}

function settleLinks(tokens: readonly Token[], page: string): void {
  for (const [index, token] of tokens.entries()) {
    if (token.children) settleLinks(token.children, page)
    if (token.type !== 'link_open') continue
    const close = tokens.slice(index).find(({ type }) => type === 'link_close')
    if (close) settleLink(token, close, page)
  }
}

const section = (text: string, folder: string, collapsed = false) => ({
  text,
  collapsed,
  items: sectionOf(root, folder),
})

export default defineConfig({
  title: 'Railyard',
  description: 'Payment orchestration that merchants run themselves',
  srcDir: '..',
  // everything that is no page of ours
  srcExclude: [
    '**/node_modules/**',
    '{src,test,scripts,examples,deploy,data}/**',
    'docs/.vitepress/**',
    'dist*/**',
    '.ci/**',
    'bench/peers/**',
  ],
  outDir: '.vitepress/dist',
  cacheDir: '.vitepress/cache',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  // a link to a page that is not there fails the build; an instance of the reader's own serves localhost
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // GitHub's anchors, so that a link leads to the same place there and here
    anchor: { slugify: toSlug },
    config(md) {
      md.core.ruler.push('links-outside', (state) =>
        settleLinks(
          state.tokens as unknown as Token[],
          state.env.relativePath === 'index.md' ? 'README.md' : state.env.relativePath,
        ),
      )
      const fence = md.renderer.rules.fence
      md.renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index]
        if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, options, env, self) ?? ''
        return `<MermaidDiagram source="${encodeURIComponent(token.content)}" />`
      }
    },
  },
  vite: { publicDir: false, build: { chunkSizeWarningLimit: 3_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guides', link: '/docs/guides/', activeMatch: '/docs/guides/' },
      { text: 'Reference', link: '/docs/reference/', activeMatch: '/docs/(reference|spec)/' },
      { text: 'Concepts', link: '/docs/concepts/', activeMatch: '/docs/concepts/' },
    ].filter(({ link }) => existsSync(join(root, link, 'index.md'))),
    sidebar: [
      section('Guides', 'docs/guides'),
      section('Concepts', 'docs/concepts'),
      section('Reference', 'docs/reference', true),
      section('Specification', 'docs/spec', true),
      section('Operating', 'docs/operations', true),
      section('More', 'docs', true),
      section('Decisions', 'docs/decisions', true),
      {
        text: 'Project',
        collapsed: true,
        items: otherPages.slice(0, 5).map((file) => ({
          text: file.replace('.md', '').toLowerCase(),
          link: file === 'README.md' ? '/' : `/${file}`,
        })),
      },
    ].filter(({ items }) => items.length > 0),
  },
})

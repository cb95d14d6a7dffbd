import { posix } from 'node:path'
import { anchorsOf } from './anchors.ts'
import { commentsOf, extensionOf, inlineCodeOf, lineCounter, type Prose, withoutCodeBlocks } from './prose.ts'
import { indexPaths, type PathIndex, type Repository } from './repository.ts'

export interface BrokenReference {
  file: string
  line: number
  problem: string
}

/** What a check of one file needs to know of the others. */
interface Context {
  paths: PathIndex
  read: (path: string) => string
  anchorsAt: (path: string) => Set<string>
  sections: Record<Specification, Set<string>>
  decisions: Set<string>
}

type Specification = 'api' | 'semantics'
const specifications = {
  api: 'docs/spec/api.md',
  semantics: 'docs/spec/semantics.md',
} as const satisfies Record<Specification, string>

/** How a comment names a specification. */
const specificationNames: Record<string, Specification> = {
  API: 'api',
  SPEC: 'api',
  semantics: 'semantics',
  Semantics: 'semantics',
  SEMANTICS: 'semantics',
}

const textFiles = new Set(['ts', 'cts', 'js', 'mjs', 'cjs', 'sql', 'sh', 'yml', 'yaml', 'md', 'json'])

/** It names files as they were called then. */
const tellsOfThePast = (file: string) => file === 'CHANGELOG.md'
/** Their readers' files, not ours. */
const namesOtherFiles = (file: string) =>
  file.startsWith('docs/guides/') || file.startsWith('examples/') || file.startsWith('packages/')
/** Migrations are never edited once they are released; the checker's own examples are broken on purpose. */
const isExempt = (file: string) =>
  ['src/database/migrations/', 'scripts/references/', 'bench/peers/', 'test/references.test.ts'].some(
    (start) => file.startsWith(start),
  )

/** Every reference of the repository that does not resolve. */
export function findBrokenReferences(repository: Repository): BrokenReference[] {
  const context = contextOf(repository)
  return repository.files
    .filter(
      (file) => textFiles.has(extensionOf(file)) && !isExempt(file) && !file.endsWith('package-lock.json'),
    )
    .flatMap((file) => checkFile(file, repository.read(file), context).map((found) => ({ file, ...found })))
}

function contextOf({ files, read }: Repository): Context {
  const paths = indexPaths(files)
  const anchors = new Map<string, Set<string>>()
  const anchorsAt = (path: string) => {
    const known = anchors.get(path) ?? anchorsOf(paths.hasFile(path) ? read(path) : '')
    anchors.set(path, known)
    return known
  }
  const sectionsAt = (path: string) =>
    new Set(Array.from(anchorsAt(path), (anchor) => anchor.replace(/^s/, '').replace('-', '.')))
  const decisions = files.flatMap((file) => file.match(/^docs\/decisions\/(\d{3})-/)?.[1] ?? [])
  return {
    paths,
    read,
    anchorsAt,
    sections: { api: sectionsAt(specifications.api), semantics: sectionsAt(specifications.semantics) },
    decisions: new Set(decisions),
  }
}

type Found = Omit<BrokenReference, 'file'>

function checkFile(file: string, text: string, context: Context): Found[] {
  const isPage = extensionOf(file) === 'md'
  const citations = findCitations(text, context)
  if (tellsOfThePast(file)) return citations
  const prose = isPage ? inlineCodeOf(text) : commentsOf(file, text)
  const paths = namesOtherFiles(file) ? [] : prose.flatMap((piece) => findPaths(piece, isPage, context.paths))
  return isPage
    ? [...citations, ...paths, ...findLinks(file, text, context), ...findNames(text, context)]
    : [...citations, ...paths]
}

/** Sections of the specification, decisions, and documents that are not in this repository. */
function findCitations(text: string, { sections, decisions }: Context): Found[] {
  const lineAt = lineCounter(text)
  const cited =
    /\b(API|SPEC|semantics|Semantics|SEMANTICS) (§\d+(?:\.\d+)?(?:(?:,| and| or) §\d+(?:\.\d+)?)*)|\b[Dd]ecisions?[ /](\d{3})\b|\b(DESIGN|FIGURES|FINDINGS)\b/g
  return Array.from(text.matchAll(cited)).flatMap(
    ({ 1: name = '', 2: numbers = '', 3: decision, 4: absent, index }) => {
      const line = lineAt(index)
      if (absent) return [{ line, problem: `${absent} is not a document of this repository` }]
      if (decision)
        return decisions.has(decision) ? [] : [{ line, problem: `there is no decision ${decision}` }]
      const specification = specificationNames[name]
      return Array.from(numbers.matchAll(/[\d.]*\d/g), ([number]) => number)
        .filter((number) => specification && !sections[specification].has(number))
        .map((number) => ({
          line,
          problem: `${specification && specifications[specification]} has no section ${number}`,
        }))
    },
  )
}

const rootFolders = 'src|test|docs|scripts|bench|examples|deploy|packages'
/** A path from the root, or one of a source file from anywhere; a bare file name has no slash. */
const pathLike = new RegExp(
  `(?<![\\w/:.@<~*{}$-])(?:(?:${rootFolders})/[\\w./*{},-]*[\\w/*}]|(?:[\\w-][\\w.-]*/)*[\\w-][\\w.-]*\\.(?:ts|sql|md|cjs|mjs))(?![\\w/-])`,
  'g',
)
const isPattern = (path: string) => /[*{}]/.test(path)

function findPaths({ text, line }: Prose, isPage: boolean, paths: PathIndex): Found[] {
  // `https://github.com/…/src/x.ts` names another repository
  const own = text.replaceAll(/\bhttps?:\/\/\S+/g, ' ')
  const lineAt = lineCounter(own)
  return Array.from(own.matchAll(pathLike)).flatMap(({ 0: found, index }) => {
    const path = found.replace(/\/+$/, '')
    const isBare = !path.includes('/')
    // a page may name a file of its reader's, in words; a comment names ours
    if (/NNN|node_modules|\bx\./.test(path) || (isBare && isPage) || resolves(path, paths)) return []
    return [{ line: line + lineAt(index) - 1, problem: `there is no file ${path}` }]
  })
}

/** A decision's number is looked up by itself. */
const resolves = (path: string, paths: PathIndex): boolean =>
  /decisions\/\d{3}$/.test(path) ||
  (isPattern(path)
    ? paths.matchesPattern(path)
    : paths.has(path) || paths.hasEnding(path) || paths.hasStem(path))

/** What a page says is in a file: "`claimForSending` in `src/operations/journal/claim-operations.ts`". */
function findNames(text: string, { paths, read }: Context): Found[] {
  const lineAt = lineCounter(text)
  return Array.from(text.matchAll(/`([A-Za-z]\w*)` in `(src\/[\w./-]+\.ts)`/g)).flatMap(
    ({ 1: name = '', 2: path = '', index }) =>
      !paths.hasFile(path) || new RegExp(`\\b${name}\\b`).test(read(path))
        ? []
        : [{ line: lineAt(index), problem: `there is no ${name} in ${path}` }],
  )
}

/** Links of a Markdown page to files and anchors of this repository. */
function findLinks(file: string, text: string, { paths, anchorsAt }: Context): Found[] {
  const lineAt = lineCounter(text)
  const prose = withoutCodeBlocks(text).replaceAll(/`[^`\n]+`/g, (code) => ' '.repeat(code.length))
  return Array.from(prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|<img [^>]*src="([^"]+)"/g)).flatMap(
    ({ 1: link, 2: image, index }) => {
      const line = lineAt(index)
      const target = link ?? image ?? ''
      if (/^[a-z]+:/.test(target)) return []
      const [path = '', anchor] = target.split('#')
      const at =
        path === ''
          ? file
          : posix.normalize(posix.join(posix.dirname(file), decodeURIComponent(path))).replace(/\/$/, '')
      if (path.startsWith('/') || !paths.has(at)) return [{ line, problem: `there is no file ${path}` }]
      if (anchor === undefined || extensionOf(at) !== 'md' || anchorsAt(at).has(decodeURIComponent(anchor)))
        return []
      return [{ line, problem: `${at} has no heading #${anchor}` }]
    },
  )
}

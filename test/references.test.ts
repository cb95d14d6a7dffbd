import { expect, test } from 'vitest'
import { findBrokenReferences } from '../scripts/references/find-broken-references.ts'

const repository = {
  'docs/spec/api.md': '<a id="s4-2"></a>\n\n## 4.2 POST /payments\n',
  'docs/spec/semantics.md':
    '<a id="s0"></a>\n\n8. <a id="s0-8"></a>Keys\n\n<a id="s3-8"></a>\n\n### 3.8 Filters\n',
  'docs/decisions/007-the-event-log.md': '# 007: The event log\n',
  'docs/webhooks.md': '# Webhooks\n\n## What’s sent, and when?\n\n## Twice\n\n## Twice\n',
  'docs/images/page.png': '',
  'src/transactions/status.ts': 'export function moveTo() {}',
  'src/transactions/status.test.ts': '',
  'package.json': '{}',
}

/** What is wrong with a text when it is a file of that repository. */
function problemsOf(file: string, text: string): string[] {
  const files: Record<string, string> = { ...repository, [file]: text }
  return findBrokenReferences({ files: Object.keys(files), read: (path) => files[path] ?? '' }).map(
    ({ line, problem }) => `${line}: ${problem}`,
  )
}

test.each([
  '/** Filters of the list (semantics §3.8). */',
  '// semantics §0.8, §3.8 and §0; API §4.2',
  '// RFC 9110 §5.5 has another §99',
  '// decision 007, docs/decisions/007-the-event-log.md and docs/decisions/007',
  '// see src/transactions/status.ts, transactions/status.ts or status.ts',
  '// `src/**/*.test.ts`, src/transactions/*.ts, src/{transactions,x}/status.ts and the folder src/transactions/',
  '// https://github.com/owner/other/blob/main/src/missing.ts',
  "const url = 'https://example.com/docs/missing.md' // a page",
  "const example = 'src/missing.ts'",
])('resolves in a source file: %s', (text) => {
  expect(problemsOf('src/example.ts', text)).toEqual([])
})

test.each([
  ['/** Filters (semantics §3.9). */', '1: docs/spec/semantics.md has no section 3.9'],
  ['// API §4.2, §4.99', '1: docs/spec/api.md has no section 4.99'],
  ['// SPEC §7', '1: docs/spec/api.md has no section 7'],
  ['\n// SEMANTICS §3', '2: docs/spec/semantics.md has no section 3'],
  ["test('SEMANTICS §3', () => {})", '1: docs/spec/semantics.md has no section 3'],
  ['// decision 099', '1: there is no decision 099'],
  ['// docs/decisions/099', '1: there is no decision 099'],
  ['// DESIGN §5', '1: DESIGN is not a document of this repository'],
  ['// FIGURES R1', '1: FIGURES is not a document of this repository'],
  ['// see src/missing.ts', '1: there is no file src/missing.ts'],
  ['/*\n * src/missing/*.ts\n */', '2: there is no file src/missing/*.ts'],
  ['// what outcome.ts says', '1: there is no file outcome.ts'],
  ['// what transactions/outcome.ts says', '1: there is no file transactions/outcome.ts'],
])('does not resolve in a source file: %s', (text, problem) => {
  expect(problemsOf('src/example.ts', text)).toEqual([problem])
})

test.each([
  '[Webhooks](webhooks.md), [sent](webhooks.md#whats-sent-and-when), [second](webhooks.md#twice-1)',
  '# A heading\n\n[here](#a-heading), [section](spec/semantics.md#s3-8), [a folder](decisions), [elsewhere](https://example.com/missing)',
  '![page](images/page.png) and `src/transactions/status.ts`',
  '`moveTo` in `src/transactions/status.ts`',
  'your own `server.ts`',
  '```md\n[no link](missing.md) `src/missing.ts`\n```',
  'written as `[text](missing.md)`',
])('resolves in a page: %s', (text) => {
  expect(problemsOf('docs/page.md', text)).toEqual([])
})

test.each([
  ['[Webhooks](webhook.md)', '1: there is no file webhook.md'],
  ['[twice](webhooks.md#twice-2)', '1: docs/webhooks.md has no heading #twice-2'],
  ['[here](#a-heading)', '1: docs/page.md has no heading #a-heading'],
  ['[from the root](/docs/webhooks.md)', '1: there is no file /docs/webhooks.md'],
  ['![page](images/missing.png)', '1: there is no file images/missing.png'],
  ['```\n`x`\n```\n\n`src/missing.ts`', '5: there is no file src/missing.ts'],
  ['`transactions/missing.ts`', '1: there is no file transactions/missing.ts'],
  ['\n`moveFrom` in `src/transactions/status.ts`', '2: there is no moveFrom in src/transactions/status.ts'],
])('does not resolve in a page: %s', (text, problem) => {
  expect(problemsOf('docs/page.md', text)).toEqual([problem])
})

test('the changelog may name files that are gone, but no section that is not there', () => {
  expect(problemsOf('CHANGELOG.md', '`src/missing.ts` (semantics §9)')).toEqual([
    '1: docs/spec/semantics.md has no section 9',
  ])
})

test('migrations are not checked, since they are never edited', () => {
  expect(problemsOf('src/database/migrations/001-foundation.sql', '-- DESIGN §9, src/missing.ts')).toEqual([])
})

import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The texts from which people copy commands: documents, messages, comments, deployments, examples. */
const places = [
  '*.*',
  'Dockerfile',
  '.ci/*',
  '{bench,deploy,docs,examples,packages,scripts,src,test}/**/*.{cjs,cts,json,md,mjs,js,sh,tpl,ts,txt,yaml,yml}',
]
const files = globSync(places, {
  exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/.test(path) || path === 'package-lock.json',
}).filter(
  // the plan names what is still to be done about such commands
  (path) => !path.endsWith('command-names.test.ts') && path !== 'docs/plan.md',
)
const texts = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/**
 * Commands that would fetch the package `railyard` from npm's registry, which is another author's program,
 * when run outside of a clone.
 */
const fromTheRegistry =
  /\b(?:npx|bunx|npm exec|npm x|pnpm dlx|pnpx|yarn dlx|npm (?:i|install|add)|yarn (?:global )?add|pnpm (?:i|install|add))(?: +-[-\w]+(?:=\S+)?| +--)*\s+railyard\b(?!\/)/g

test('no document, message or comment names a command that installs npm’s package `railyard`, which is not ours', () => {
  expect(files.length).toBeGreaterThan(1_000)
  for (const path of [
    'README.md',
    'Dockerfile',
    'docs/guides/deploy.md',
    'deploy/helm/railyard/templates/_helpers.tpl',
    'src/cli/start/start.ts',
  ])
    expect(files).toContain(path)
  expect(
    texts.flatMap(({ path, text }) =>
      (text.match(fromTheRegistry) ?? []).map((command) => `${path}: ${command}`),
    ),
  ).toEqual([])
})

test.each([
  'npx railyard token',
  'npx --yes railyard',
  'npx -y -- railyard',
  'npm exec railyard',
  'npm i -g railyard',
  'pnpm dlx railyard',
  'bunx railyard',
])('the search finds %s', (command) => expect(command.match(fromTheRegistry)).not.toBeNull())

test('every script that a document or a message names is in package.json', () => {
  const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts)
  const ours = texts.filter(
    ({ path }) => /^(?:[^/]*\.md|(?:docs|src|deploy|scripts)\/.*)$/.test(path) && path !== 'CHANGELOG.md',
  )
  const named = ours.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, script = '']) => ({ path, script })),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ script }) => !scripts.includes(script))).toEqual([])
})

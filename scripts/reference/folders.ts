import { createRequire } from 'node:module'
import { code, page, table } from './markdown.ts'

interface Rule {
  name: string
  comment?: string
  from: { path?: string }
  to: { path?: string }
}
const { forbidden }: { forbidden: Rule[] } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')

/** What each folder of `src` is for; the order and the rules come from .dependency-cruiser.cjs. */
const purposes: Readonly<Record<string, string>> = {
  cli: 'The command line; each command loads what it needs',
  testing: 'Railyard inside a merchant’s tests',
  capsules: 'One payment in a file: export, and replay',
  'connector-kit': 'The test suite of a connector, and what it needs of a fake provider',
  process: 'Starts a process: opens the database, assembles the HTTP server, stops it',
  sandbox: 'The simulated payment providers: their HTTP port, books, faults and pages',
  background: 'The background work of a process; finds what an open operation is about',
  retention: 'Removes old payments with the partitions of their tables',
  observability: 'Health, metrics, traces and logs',
  privacy: 'Erasure of personal data',
  mcp: 'The MCP server: tools for software agents, which call the API as the caller',
  verify: 'Computes every amount and status again from the journal',
  attention: 'Counts what waits for a person',
  dashboard: 'The page and the files of the dashboard (`dashboard/`)',
  'hosted-pages': 'The scripts of Railyard’s own pages, and what browsers report about these pages',
  'payment-links': 'Links that merchants send, and the page that buyers pay on',
  'agentic-commerce': 'Checkouts of AI agents’ platforms: prices, payment, orders',
  elements: 'Card fields and the checkout for merchants’ pages, in frames of Railyard’s origin',
  embed: 'What a browser’s token may send',
  monitoring: 'Metrics that are watched, and their incidents',
  insights: 'The metrics explorer',
  reports: 'Reports, their schedules and files',
  archive: 'Parquet files with retired payments: writes, checks and reads them',
  reconciliation: 'Settlement reports of payment services: settlements and chargebacks',
  payouts: 'Money to cards',
  transactions: 'The transaction: create, actions, execution, outcome, approval, disputes, views',
  'spending-limits': 'What key pairs and people may refund, pay out, capture and void',
  checkout: 'What a buyer’s page needs: sessions, stored methods, payment options, wallets',
  routing: 'Flow rules, and the choice of the payment service',
  operations: 'The journal: intend, send, record, recover. It alone calls connectors',
  'payment-services': 'A merchant’s payment services, their health and definitions',
  'gift-cards': 'Gift card services, stored cards, balances, redemptions',
  'anti-fraud': 'Anti-fraud services and screenings',
  'three-d-secure': '3-D Secure: configuration, scenarios of the sandbox, liability',
  vault: 'Cards and payment methods, keys and envelopes. It alone decrypts a card',
  buyers: 'Buyers and their addresses',
  approvals: 'Policies that ask for a second person, proposals and their execution',
  events: 'The event log, its feed, webhook subscriptions and deliveries',
  accounts: 'Merchant accounts, people, API keys, roles, the audit log',
  'configured-services':
    'What configured payment, anti-fraud and gift card services share: rows, fields, secrets',
  connectors: 'One folder for each payment service, and the contract that they implement',
}

/** What the diagram shows together, from the top down. */
const bands: Readonly<Record<string, readonly string[]>> = {
  'Entry points': ['cli', 'testing', 'capsules', 'connector-kit', 'process', 'sandbox', 'background'],
  'Across domains': ['retention', 'observability', 'privacy', 'mcp', 'verify', 'attention'],
  'Built on payments': [
    'dashboard',
    'hosted-pages',
    'payment-links',
    'agentic-commerce',
    'elements',
    'embed',
    'monitoring',
    'insights',
    'reports',
    'archive',
    'reconciliation',
    'payouts',
  ],
  Payments: ['transactions', 'spending-limits', 'checkout', 'routing', 'operations'],
  Configuration: ['payment-services', 'gift-cards', 'anti-fraud', 'three-d-secure'],
  Foundations: ['vault', 'buyers', 'approvals', 'events', 'accounts'],
  'Payment services': ['configured-services', 'connectors'],
}

const UPWARD = /^(.+)-imports-nothing-above-it$/

/** The folders that the rules order, the highest first: each imports itself and those after it. */
function orderedFolders(): string[] {
  const rules = forbidden.filter(({ name }) => UPWARD.test(name))
  const highest = rules[0]?.to.path?.match(/\(([^)|]+)\)/)?.[1]
  return [...(highest ? [highest] : []), ...rules.flatMap(({ name }) => UPWARD.exec(name)?.[1] ?? [])]
}

/** Fails where a folder is new: it needs a purpose and a place in the diagram. */
function checkKnown(folders: readonly string[]): void {
  const shown = Object.values(bands).flat()
  const missing = folders.filter((folder) => purposes[folder] === undefined || !shown.includes(folder))
  const gone = shown.filter((folder) => !folders.includes(folder))
  const misplaced =
    shown.filter((folder) => folders.includes(folder)).join() === folders.join()
      ? []
      : ['the order of the bands']
  const problems = [...missing, ...gone, ...(missing.length + gone.length > 0 ? [] : misplaced)]
  if (problems.length > 0)
    throw new Error(`scripts/reference/folders.ts and .dependency-cruiser.cjs differ: ${problems.join(', ')}`)
}

function diagram(): string {
  const names = Object.keys(bands)
  const boxes = Object.entries(bands).map(
    ([name, folders], index) => `  band${index}["<b>${name}</b><br/>${folders.join(' · ')}"]`,
  )
  const arrows = names.map(
    (_, index) => `  band${index} --> ${index + 1 < names.length ? `band${index + 1}` : 'base'}`,
  )
  return [
    '```mermaid',
    'flowchart TD',
    ...boxes,
    '  base["<b>Base</b><br/>api · page · outgoing · database · base · settings"]',
    ...arrows,
    '```',
  ].join('\n')
}

/** docs/concepts/folders.md */
export function foldersPage(): string {
  const folders = orderedFolders()
  checkKnown(folders)
  const others = forbidden.filter(({ name }) => !UPWARD.test(name))
  return page(
    '# Folders and their allowed imports',
    `The folders of \`src\` are ordered. A folder may import itself and every folder below it, never one above it and never in a circle. \`.dependency-cruiser.cjs\` has the order, and \`npm run check\` fails when an
import breaks it.`,
    diagram(),
    'An arrow means “may import”; so may everything above it. Within a box the order of the names counts too: left may import right.',
    table(
      ['folder', 'what it is for'],
      folders.map((folder) => [code(`src/${folder}`), purposes[folder] ?? '']),
    ),
    'The base (`src/api`, `src/page`, `src/outgoing`, `src/database`, `src/base`, `src/settings.ts`) is imported by every folder and imports none of them.',
    '## Other rules',
    table(
      ['rule', 'why'],
      others.map(({ name, comment }) => [code(name), comment ?? '']),
    ),
  )
}

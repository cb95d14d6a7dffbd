/**
 * Which folder may import which (ARCHITECTURE.md): each folder imports itself and the folders after it in
 * this list, never one before it. The base (api, page, outgoing, database, base, settings) is imported by
 * every folder and imports no domain.
 */
const domains = [
  'cli',
  'testing',
  'capsules',
  'connector-kit',
  'process',
  'sandbox',
  'background',
  'retention',
  'observability',
  'privacy',
  'mcp',
  'verify',
  'attention',
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
  'transactions',
  'spending-limits',
  'checkout',
  'routing',
  'operations',
  'payment-services',
  'gift-cards',
  'anti-fraud',
  'three-d-secure',
  'vault',
  'buyers',
  'approvals',
  'events',
  'accounts',
  'configured-services',
  'connectors',
]

const upward = domains.slice(1).map((domain, index) => ({
  name: `${domain}-imports-nothing-above-it`,
  severity: 'error',
  from: { path: `^src/${domain}/`, pathNot: '\\.test\\.ts$' },
  to: { path: `^src/(${domains.slice(0, index + 1).join('|')})/` },
}))

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'no file imports itself through other files',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-circles-when-it-runs',
      comment: 'tests may import types in a circle',
      severity: 'error',
      from: { path: '^test/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'the-base-folder-does-not-know-the-world',
      comment: 'src/world.ts imports src/base',
      severity: 'error',
      from: { path: '^src/base/' },
      to: { path: '^src/world\\.ts$' },
    },
    {
      name: 'the-base-imports-no-domain',
      comment: 'what every folder uses must not depend on any of them',
      severity: 'error',
      from: { path: '^src/(api|page|outgoing|database|base|settings)', pathNot: '\\.test\\.ts$' },
      to: { path: `^src/(${domains.join('|')})/` },
    },
    {
      name: 'connectors-know-the-wire-only',
      comment:
        'a connector imports its own folder, contract and wire: no database, no Fastify, no other connector',
      severity: 'error',
      from: { path: '^src/connectors/(?!contract/|wire/)([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/connectors/($1|contract|wire)/' },
    },
    {
      name: 'the-connector-kit-knows-the-contract-only',
      comment: 'the kit imports the contract of connectors and the wire: no connector, no database',
      severity: 'error',
      from: { path: '^src/connector-kit/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(connector-kit|connectors/contract|connectors/wire|base)/' },
    },
    {
      name: 'only-the-assembly-knows-the-sandbox',
      comment:
        'production runs without src/sandbox; src/process and the command `railyard sandbox` alone load it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox/|cli/sandbox\\.ts|process/)|\\.test\\.ts$' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'only-the-vault-opens-envelopes',
      comment: 'card numbers are decrypted in src/vault, which hands them out for one call',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/vault/|\\.test\\.ts$' },
      to: { path: '^src/vault/envelope\\.ts$' },
    },
    ...upward,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}

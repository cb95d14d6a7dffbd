/**
 * Who may know whom (ARCHITECTURE.md). Each folder may import itself and what stands after it in this list, never what stands before.
 * The ground (api, page, database, world, settings, cipher) is known to all and knows no domain folder.
 */
const houses = [
  'cli',
  'testing',
  'sandbox',
  'observability',
  'privacy',
  'verify',
  'payment-links',
  'embed',
  'monitoring',
  'insights',
  'reports',
  'reconciliation',
  'payouts',
  'transactions',
  'checkout',
  'routing',
  'operations',
  'payment-services',
  'gift-cards',
  'anti-fraud',
  'three-d-secure',
  'vault',
  'buyers',
  'events',
  'accounts',
  'connectors',
]

const uphill = houses.slice(1).map((house, index) => ({
  name: `${house}-looks-downhill`,
  severity: 'error',
  from: { path: `^src/${house}/`, pathNot: '\\.test\\.ts$' },
  to: { path: `^src/(${houses.slice(0, index + 1).join('|')})/` },
}))

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'the-ground-knows-no-domain',
      severity: 'error',
      from: { path: '^src/(api|page|outgoing|database|settings|cipher|metrics|tracing)', pathNot: '\\.test\\.ts$' },
      to: { path: `^src/(${houses.join('|')})/` },
    },
    {
      name: 'connectors-know-the-wire-only',
      comment: 'no database, no Fastify, no other connector',
      severity: 'error',
      from: { path: '^src/connectors/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/connectors/($1/|[^/]+\\.ts$)' },
    },
    {
      name: 'only-the-assembly-knows-the-sandbox',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox/|cli/sandbox\\.ts|server\\.ts|railyard\\.ts)|\\.test\\.ts$' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'only-the-vault-opens-envelopes',
      comment: 'card numbers are decrypted in src/vault, which hands them out for one call',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/vault/|\\.test\\.ts$' },
      to: { path: '^src/vault/envelope\\.ts$' },
    },
    ...uphill,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}

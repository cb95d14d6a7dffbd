import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { chromiumPath } from './test/browser/chromium.ts'
import { LongestFirst } from './test/setup/longest-first.ts'
import { withoutDatabase } from './test/setup/without-database.ts'

const isOnPostgres = Boolean(process.env['DATABASE_URL'])
// scripts/with-citus.sh sets it
const isOnCitus = Boolean(process.env['CITUS_WORKERS'])
const hasBrowser = chromiumPath() !== undefined
if (!hasBrowser && process.env['BROWSER_TESTS'] === 'required')
  throw new Error('there is no Chromium: scripts/install-chromium.sh')
if (!hasBrowser)
  console.warn('LEFT OUT: test/browser. There is no Chromium; scripts/install-chromium.sh installs one.\n')

// they run on the embedded database's turn: on another database they prove nothing more
const proven = isOnPostgres ? withoutDatabase(globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])) : []
if (proven.length > 0)
  console.log(
    `LEFT OUT: ${proven.length} test files that reach no database; they run where DATABASE_URL is unset.\n`,
  )

// several processes on one database: the embedded one has one
const leftOutEmbedded = ['test/postgres/**', ...(hasBrowser ? [] : ['test/browser/**'])]

const leftOutOnPostgres = [
  // these open an embedded database of their own, whichever the others are on, or reach theirs through the
  // API only
  'src/cli/{bins,listen,users,webhooks,keys/keys,start/start}.test.ts',
  'src/database/embedded/{embedded,in-memory,maintenance}.test.ts',
  // what becomes of tokens and connections is decided before a database is asked; circuits of several
  // processes are test/postgres/health's
  'src/api/{server/{admission,connections},auth/{authentication,authorization,jwt-attacks}}.test.ts',
  'src/payment-services/health/payment-service-health.test.ts',
  // connectors know no database, and src/transactions asks it everything that their payments do
  'src/connectors/**',
  // long stories of faults and clocks, one request after the other: `npm run test:lab` and `npm run
  // test:crash` tell theirs on PostgreSQL, too
  'src/transactions/{outcome/recover-payment,split-tender/split-tender,execution/execute-payment}.faults.test.ts',
  'src/payouts/faults.test.ts',
  // makes the memory of its session small, and a pool has several
  'src/verify/reads.test.ts',
  // simulators keep their books in memory; what moves an account's clock is the database's
  'src/sandbox/!(clock)/**',
  'src/sandbox/*.test.ts',
  'test/clock-steps.test.ts',
  // what it asks is refused before a database is asked, mostly; `npm run test:fuzz` asks for longer
  'src/api/fuzz.test.ts',
  // what takes its time is hashing passwords; people and sessions of several processes are
  // test/postgres/people's
  'src/accounts/sign-in/sign-in.test.ts',
  // `npm run test:lab` plays its stories on PostgreSQL
  'test/lab/**',
  // an embedded instance, whichever database the others are on
  'test/documents/**',
  // what the client sends does not depend on the database
  'test/packages/**',
  // an instance in memory, whichever database the others are on
  'examples/testing/**',
  'src/testing/**',
  // what can be reached, and what a browser shows, does not depend on the database
  'test/reachability.test.ts',
  'test/browser/**',
]

const leftOutOnCitus = [
  // tables are not divided there, and commits not shared
  'test/postgres/{archive,partitions}.test.ts',
  'src/database/partitions/cut-table.test.ts',
  'src/{archive,retention}/**',
  'src/database/postgres/shared-commits.test.ts',
  // a process of a version that did not run there
  'src/transactions/actions/refund.earlier-version.test.ts',
  // what they count is one server's: bytes of rows, and rows that its own tables have read
  'src/transactions/price.test.ts',
  'src/background/reads-at-rest.test.ts',
]

export default defineConfig({
  test: {
    // the example's tests run as they do in a project of a merchant, where the package is installed
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/testing/vitest/*.test.mjs'],
    alias: {
      '@railyard/testing': new URL('./src/testing/start-railyard.cjs', import.meta.url).pathname,
      // its source: the bundle of it has a test of its own
      '@railyard/client': new URL('./packages/client/src/index.ts', import.meta.url).pathname,
    },
    exclude: [
      'test/crash/**',
      'node_modules/**',
      ...(isOnPostgres ? [...leftOutOnPostgres, ...proven] : leftOutEmbedded),
      ...(isOnCitus ? leftOutOnCitus : ['test/citus/**']),
    ],
    // a worker keeps what it has imported, and all of them what V8 made of the embedded database: together
    // more than half of what a file took
    isolate: false,
    pool: 'threads',
    globalSetup: [
      'test/setup/postgres-template.ts',
      'test/setup/compiled-database.ts',
      'test/support/prepared-instance.ts',
      'test/setup/built-packages.ts',
    ],
    sequence: { sequencer: LongestFirst },
    // they end what hangs: a busy machine of two cores takes five times as long as an idle one
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // what a test waits for comes later on such a machine; vitest's own limit is one second
    expect: { poll: { timeout: 15_000 } },
    // two cores: a third worker has them while the others wait for processes, browsers and the disk; with a
    // fourth, requests wait for seconds
    maxWorkers: 3,
  },
})

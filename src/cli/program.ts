import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { startOpeningDatabase } from '../process/start-opening-database.ts'
import { readSettings } from '../settings.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const settings = (more: Record<string, string> = {}) =>
  readSettings({ ...process.env, ...more }, program.opts())
const collect = (value: string, all: string[]) => [...all, ...value.split(',')]
/** An option that may be repeated; help shows `defaultText` as its default. */
const repeated = (flags: string, description: string, defaultText: string) =>
  new Option(flags, description).argParser(collect).default([], defaultText)

/**
 * A command's modules are imported when it runs: the modules that serve requests take most of a second of
 * processor time to load, and most commands need none.
 */
const load = {
  approvals: () => import('./approvals.ts'),
  backup: () => import('./backup.ts'),
  bins: () => import('./bins.ts'),
  capsule: () => import('./capsule.ts'),
  connectorCheck: () => import('./connector-check.ts'),
  database: () => import('./support/command-database.ts'),
  demo: () => import('./demo.ts'),
  dryRun: () => import('./dry-run.ts'),
  googlePayKey: () => import('./keys/google-pay-key.ts'),
  keys: () => import('./keys/keys.ts'),
  listen: () => import('./listen.ts'),
  lookUp: () => import('./verify/look-up.ts'),
  mcp: () => import('./mcp.ts'),
  partitions: () => import('./partitions.ts'),
  reconcile: () => import('./reconcile.ts'),
  rotateEncryption: () => import('./keys/rotate-encryption.ts'),
  replaceRootSecret: () => import('./keys/replace-root-secret.ts'),
  sandbox: () => import('./sandbox.ts'),
  start: () => import('./start/start.ts'),
  testing: () => import('./testing.ts'),
  token: () => import('./token.ts'),
  users: () => import('./users.ts'),
  verify: () => import('./verify/verify.ts'),
  webhooks: () => import('./webhooks.ts'),
}

/** Every command of `railyard`; run.ts runs the one that is named. */
export const program = new Command('railyard')
  .description(
    'Payment orchestration that merchants run themselves. Settings are environment variables: docs/reference/settings.md lists them.',
  )
  .version(version)
  .option(
    '--environment-required',
    'refuse to run where RAILYARD_ENV is unset, as the image does; otherwise that is the sandbox',
  )

program
  .command('start')
  .description('run the service')
  .option(
    '--role <role>',
    'api answers requests, worker does the background work, all does both (default: ROLE, else all)',
  )
  .action(async ({ role: processRole }: { role?: string }) => {
    const startedAt = performance.now()
    const startSettings = settings(processRole === undefined ? {} : { ROLE: processRole })
    const database = await startOpeningDatabase(startSettings)
    await (await load.start()).start(startSettings, database, startedAt)
  })

program
  .command('migrate')
  .description('bring the database schema up to date, and do nothing else')
  .action(async () => {
    const migrated = await (await load.database()).migrateAlone(settings())
    console.log(migrated.join('\n') || 'The schema is up to date')
  })

program
  .command('token')
  .description('sign a bearer token and print it')
  .requiredOption('--scopes <list>', 'scopes, separated by commas: transactions.read,*.write (required)')
  .option('--merchant-account <id>', 'pin the token to a merchant account')
  .option(
    '--embed <json>',
    'the values that a browser’s token pins: {"amount": 1299, "currency": "USD", "buyer_id": "…"}; with --scopes embed',
  )
  .option('--checkout-session <id>', 'the checkout session that a browser’s token is for')
  .option('--expires-in <duration>', 'the lifetime of the token: 30s, 15m, 1h', '15m')
  .option('--key <file>', 'private key (PEM); default: DATA_DIR/private_key.pem')
  .option('--algorithm <name>', 'of an RSA key: RS512 or RS256, as it was created (default: "RS512")')
  .action(async (options) => (await load.token()).token(settings(), options))

const keys = program.command('keys').description('API key pairs, and the encryption key')
keys
  .command('create')
  .description('make a key pair; the private key is written to a file and stored nowhere else')
  .option('--name <text>', 'name of the key pair', 'Key')
  .option(
    '--algorithm <name>',
    'ES512, RS512, ES256, ES384, RS256 or EdDSA (ES256 and EdDSA verify ten times faster than ES512)',
    'EdDSA',
  )
  .addOption(repeated('--role <id>', 'administrator or processing; may be repeated', 'administrator'))
  .addOption(
    repeated('--merchant-account <id>', 'limit the key to this account; may be repeated', 'all accounts'),
  )
  .option(
    '--merchant-account-required',
    'refuse requests that name no account, for a key that may act on several',
  )
  .requiredOption('--out <file>', 'where to write the private key (required)')
  .action(async (options) =>
    (await load.keys()).createKey(settings(), {
      ...options,
      role: options.role.length > 0 ? options.role : ['administrator'],
    }),
  )
keys
  .command('list')
  .description('show the key pairs')
  .action(async () => (await load.keys()).listKeys(settings()))
keys
  .command('revoke')
  .description('delete a key pair; its tokens are refused at once')
  .argument('<key>', 'id or thumbprint')
  .option('--force', 'also the last key of an administrator')
  .action(async (key, options) => (await load.keys()).revokeKey(settings(), key, options))
keys
  .command('rotate-encryption')
  .description(
    'replace the encryption key: make a new one, and wrap every stored secret under it; if it is stopped, run it again to continue',
  )
  .option('--new', 'make another key although the last rotation is not complete')
  .option(
    '--forget-old',
    'complete the rotation, and take earlier keys out of the file; backups made before need them',
  )
  .action(async (options) => {
    process.exitCode = await (await load.rotateEncryption()).rotateEncryption(settings(), options)
  })
keys
  .command('replace-root-secret')
  .description(
    'after an encryption key has leaked and was replaced: make a new root secret, and seal everything again under it; if it is stopped, run it again',
  )
  .option(
    '--end-overlap',
    'refuse signatures under earlier root secrets: of notification URLs, links and cursors',
  )
  .action(async (options) => {
    process.exitCode = await (await load.replaceRootSecret()).replaceRootSecret(settings(), options)
  })

const users = program.command('users').description('people who sign in')
users
  .command('add')
  .description(
    'invite a person; prints the link under which they choose a password, once and within 72 hours. No email is sent',
  )
  .requiredOption('--email <address>', 'address that they sign in with (required)')
  .requiredOption('--name <text>', 'their name (required)')
  .requiredOption(
    '--role <slug>',
    'administrator, analyst, customer-support, …; may be repeated (required)',
    collect,
    [],
  )
  .addOption(
    repeated('--merchant-account <id>', 'limit the person to this account; may be repeated', 'all accounts'),
  )
  .action(async (options) => (await load.users()).addUser(settings(), options))
users
  .command('list')
  .description('show the people')
  .action(async () => (await load.users()).listPeople(settings()))
users
  .command('remove')
  .description('delete a person; their sessions end at once')
  .argument('<email>', 'address or id')
  .action(async (user) => (await load.users()).removeUser(settings(), user))
users
  .command('reset')
  .description('print a new link for a person who has lost their password, authenticator app or invitation')
  .argument('<email>', 'address or id')
  .action(async (user) => (await load.users()).resetUser(settings(), user))
users
  .command('sign-in-link')
  .description(
    'print a link that signs in the sandbox’s administrator, once and within 24 hours; it replaces an earlier one',
  )
  .action(async () => (await load.users()).printSignInLink(settings()))

const approvals = program.command('approvals').description('what needs a second person')
approvals
  .command('reset')
  .description('switch the approval policies of an account off, if nobody can approve any more')
  .argument('<account>', 'id of the merchant account')
  .action(async (account) => (await load.approvals()).resetApprovals(settings(), account))

const partitions = program
  .command('partitions')
  .description('the parts into which the tables of payments are divided')
partitions
  .command('list')
  .description('show the partitions, with what they take')
  .action(async () => (await load.partitions()).listPartitions(settings()))
partitions
  .command('cut')
  .description(
    'give each table its next partition now, whatever PARTITION_ROWS says: from the beginning of a month that is some days ahead',
  )
  .action(async () => (await load.partitions()).cutPartitions(settings()))
partitions
  .command('retire')
  .description(
    'show which payments are older than RETENTION_MONTHS and would be removed with their partitions, and what keeps the others',
  )
  .option('--yes', 'remove them')
  .action(async (options) => (await load.partitions()).retirePartitions(settings(), options))

program
  .command('listen')
  .description('print events as they happen, and forward them to your machine, signed as deliveries are')
  .option('--forward-to <url>', 'URL to forward them to: http://localhost:3000/hook')
  .option(
    '--events <names>',
    'only these events, separated by commas: transaction.*,refund.succeeded; may be repeated',
    collect,
    [],
  )
  .option('--merchant-account <id>', 'events of this account; default: the only one of the key, else default')
  .option('--url <url>', 'URL of Railyard; default: PUBLIC_URL, or http://HOST:PORT')
  .option('--secret <secret>', 'secret to sign with, in either form; default: a new one, which is printed')
  .option('--key <file>', 'private key (PEM) that signs the tokens; default: DATA_DIR/private_key.pem')
  .option('--algorithm <name>', 'of an RSA key: RS512 or RS256, as it was created (default: "RS512")')
  .action(async (options) => (await load.listen()).listen(settings(), options))

program
  .command('mcp')
  .description(
    'serve tools for software agents over stdin and stdout (MCP); they call the API with tokens that this command signs. RAILYARD_MCP_KEY may hold the private key instead of a file',
  )
  .option('--url <url>', 'URL of Railyard; default: PUBLIC_URL, or http://HOST:PORT')
  .option('--merchant-account <id>', 'account to act on; default: the only one of the key, else default')
  .option('--key <file>', 'private key (PEM) that signs the tokens; default: DATA_DIR/private_key.pem')
  .option('--algorithm <name>', 'of an RSA key: RS512 or RS256, as it was created (default: "RS512")')
  .option('--read-only', 'only the tools that change nothing')
  .action(async (options) => (await load.mcp()).mcp(settings(), options))

const webhooks = program
  .command('webhooks')
  .description('webhook subscriptions of the whole instance, which get every account’s events')
webhooks
  .command('add')
  .description('have every account’s events sent to a URL; prints the secret that they are signed with')
  .argument('<url>', 'URL of the receiver')
  .action(async (url) => (await load.webhooks()).addWebhook(settings(), url))
webhooks
  .command('list')
  .description('show the subscriptions')
  .action(async () => (await load.webhooks()).listWebhooks(settings()))
webhooks
  .command('remove')
  .description('delete a subscription')
  .argument('<id>', 'as webhooks list shows it')
  .action(async (id) => (await load.webhooks()).removeWebhook(settings(), id))

program
  .command('bins')
  .description('what is known of cards by their first digits')
  .command('import')
  .description('read a CSV file with the columns bin, scheme, card_type, issuer and country')
  .argument('<file>', 'known BINs are replaced, others stay')
  .action(async (file) => (await load.bins()).importBinFile(settings(), file))

program
  .command('connector')
  .description('connectors of other packages')
  .command('check')
  .description(
    'print what a package’s connectors can do, and check them against the fakes that it exports; ends with exit code 1 if a check fails',
  )
  .argument('<package>', 'name of a package that is installed beside Railyard, or a path: ./my-connector')
  .action(async (name) => {
    process.exitCode = await (await load.connectorCheck()).checkConnector(name)
  })

program
  .command('reconcile')
  .description(
    'read a settlement report of a payment service; if it is stopped, run it again to continue: no line counts twice',
  )
  .argument('[file]', 'CSV file, as the payment service provides it')
  .option('--account <id>', 'merchant account', 'default')
  .option(
    '--payment-service <id>',
    'payment service of the report; default: the one whose reports have these columns',
  )
  .option('--name <text>', 'the payment service’s name of the report; default: the name of the file')
  .option('--dry-run', 'print what would happen, and write nothing')
  .option('--strict', 'end with exit code 1 if there is something that people have to look at')
  .option('--unmatched', 'list the lines that match no payment')
  .option('--retry', 'match those lines again')
  .option('--missing', 'list captured payments that no report has settled, or only a part of them')
  .option('--older-than <duration>', 'with --missing: captured longer ago than this', '5d')
  .action(async (file, options) => {
    process.exitCode = await (await load.reconcile()).reconcile(settings(), file, options)
  })

program
  .command('google-pay-key')
  .description(
    'print the public key that Google Pay encrypts for; it is registered with Google for GOOGLE_PAY_GATEWAY',
  )
  .action(async () => (await load.googlePayKey()).googlePayKey(settings()))

program
  .command('verify')
  .description(
    'compare every payment with its operations, and the journal and the audit log with the hashes that seal them',
  )
  .option(
    '--audit-head <account:number:hash>',
    'a seal of the audit log from the server’s log, which must still exist; may be repeated',
    collect,
    [],
  )
  .option(
    '--journal-head <account:number:hash>',
    'a seal of the journal from the server’s log, which must still exist; may be repeated',
    collect,
    [],
  )
  .option(
    '--at-payment-services',
    'then compare operations with the payment services’ own books; only reads, and needs the encryption key',
  )
  .option(
    '--since <time>',
    'with --at-payment-services: operations decided since a time, or within a duration, of ISO 8601',
    'P7D',
  )
  .action(async (options) => {
    process.exitCode = await (await load.verify()).verifyInstance(settings(), options)
  })

program
  .command('backup')
  .description(
    'write the whole database into a file, without the encryption key, which must be kept in another place',
  )
  .argument('<file>', 'a new file')
  .action(async (file) => (await load.backup()).makeBackup(settings(), file))

program
  .command('restore')
  .description('fill an empty database from a backup')
  .argument('<file>', 'file that railyard backup has written')
  .option('--look-up', 'then run railyard look-up, which needs the encryption key')
  .action(async (file, { lookUp = false }: { lookUp?: boolean }) => {
    await (await load.backup()).restoreBackup(settings(), file, lookUp)
    if (lookUp) await (await load.lookUp()).lookUp(settings())
  })

program
  .command('look-up')
  .description('ask the payment services now for every outcome that is not known, as after a restore')
  .action(async () => (await load.lookUp()).lookUp(settings()))

const capsule = program
  .command('capsule')
  .description('one payment in a file, without card data and personal data, to be made again elsewhere')
capsule
  .command('export')
  .description('write everything that determined a payment into a file, or print it')
  .argument('<payment>', 'id of the transaction')
  .option('--account <id>', 'merchant account', 'default')
  .option('--out <file>', 'a new file')
  .action(async (payment, options) => (await load.capsule()).exportPayment(settings(), payment, options))
capsule
  .command('replay')
  .description(
    'make the payment of a capsule again, in a sandbox in memory with the recorded answers; ends with exit code 1 at a difference, which it prints',
  )
  .argument('<file>', 'file that railyard capsule export has written')
  .action(async (file) => {
    process.exitCode = await (await load.capsule()).replayPayment(file)
  })

program
  .command('sandbox')
  .description(
    'run the sandbox’s payment providers in a process of their own; each server finds them by SANDBOX_URL',
  )
  .option('--port <number>', 'port to listen on; 0 takes a free one', '8090')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option(
    '--books <file>',
    'file of the providers’ books; default: DATA_DIR/sandbox-books.jsonl, as inside a server',
  )
  .option('--fsync', 'answer only when the books are on the disk')
  .option(
    '--pending-ms <milliseconds>',
    'how long a pending operation stays pending unless it is looked up',
    '30000',
  )
  .action(async (options) => (await load.sandbox()).sandbox(settings(), options))

program
  .command('demo')
  .description('walk a payment through a throw-away instance')
  .action(async () => (await load.demo()).demo())

program
  .command('testing', { hidden: true })
  .requiredOption('--socket <file>')
  .requiredOption('--idle-ms <milliseconds>')
  .option('--named <setting>', 'setting of a test; may be repeated', collect, [])
  .action(async (options) => (await load.testing()).testing(settings(), options))

program
  .command('dry-run', { hidden: true })
  .description(
    'read a request from stdin, and print what it does in a sandbox in memory; tools of the MCP server run it',
  )
  .action(async () => (await load.dryRun()).dryRun())

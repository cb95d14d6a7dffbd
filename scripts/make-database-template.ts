/**
 * Writes the initialised folder that the embedded database starts from; run it again whenever PGlite is
 * updated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const target = new URL('../src/database/embedded/template.tgz', import.meta.url)
const dataDir = mkdtempSync(join(tmpdir(), 'railyard-template-'))

// Dumped after a clean shutdown: from the dump of a running database every first start would have to recover,
// which costs a thousand fsyncs.
await (await PGlite.create({ dataDir })).close()
const files = await PGlite.create({ dataDir, noInitDb: true })
const dump = await files.fs?.dumpTar('template', 'gzip')
rmSync(dataDir, { recursive: true })

if (!dump) throw new Error('PGlite opened no file system')
writeFileSync(target, await dump.bytes())
console.log(`${target.pathname}: ${dump.size} bytes`)

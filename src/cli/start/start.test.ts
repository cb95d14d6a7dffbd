import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launch, launchRailyard } from '../../../test/crash/process.ts'
import { makeInstance } from '../../../test/support/prepared-instance.ts'
import { systemClock } from '../../base/clock.ts'
import { startRailyard } from '../../process/railyard.ts'
import { startSimulator } from '../../sandbox/simulator.ts'
import { InvalidSetting, readSettings } from '../../settings.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'railyard-start-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The data folder of an instance that was started before. */
async function instance(): Promise<string> {
  const path = folder()
  await makeInstance(path)
  return path
}

const env = (more: Record<string, string>) => ({ PORT: '0', LOG_LEVEL: 'warn', ...more })
/** A start that is refused: one line that tells the operator what to do, and exit code 1. */
const refused = (line: RegExp) => ({
  code: 1,
  output: expect.stringMatching(new RegExp(`^railyard: ${line.source}\\n$`)),
})
const start = (more: Record<string, string>) => launch(['src/main.js', 'start'], env(more), /(?!)/).ended
/**
 * Starts in this process, which takes a third of the time. Other tests show how a process prints the error.
 */
const startHere = ({ DATA_DIR = folder(), ...more }: Record<string, string>) =>
  startRailyard(readSettings(env({ DATA_DIR, ...more })))

async function usedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

describe('a start is refused with one line that names the setting', () => {
  test('where DATA_DIR is a file, or is within a file', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    expect(await start({ DATA_DIR: file })).toEqual(
      refused(/DATA_DIR cannot be used, it is not a folder: .*\/file/),
    )
    expect(await start({ DATA_DIR: join(file, 'data') })).toEqual(
      refused(/DATA_DIR cannot be used, it is not a folder: .*/),
    )
  })

  test('where ARCHIVE_DIR is a file, or the folder above it is missing', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    await expect(startHere({ ARCHIVE_DIR: file })).rejects.toThrow(`ARCHIVE_DIR: ${file} is no folder`)
    await expect(startHere({ ARCHIVE_DIR: '/nowhere/archive' })).rejects.toThrow(
      'ARCHIVE_DIR: /nowhere does not exist, and Railyard creates no folder but the last one',
    )
  })

  test('where DATA_DIR cannot be written', async () => {
    expect(await start({ DATA_DIR: '/proc' })).toEqual(refused(/DATA_DIR cannot be used, .*: \/proc/))
    expect(await start({ DATA_DIR: '/proc/railyard/data' })).toEqual(
      refused(/DATA_DIR cannot be used, .*: \/proc\/railyard\/data/),
    )
  })

  test('where PORT is in use; the line suggests another one', async () => {
    const port = await usedPort()
    expect(await start({ DATA_DIR: await instance(), PORT: String(port) })).toEqual(
      refused(new RegExp(`PORT: ${port} is in use; choose another, e\\.g\\. PORT=${port + 1} npm start`)),
    )
  })

  test('where HOST cannot be resolved, or is not an address of this machine', async () => {
    await expect(startHere({ HOST: 'nobody.invalid' })).rejects.toEqual(
      new InvalidSetting('HOST: nobody.invalid cannot be resolved'),
    )
    await expect(startHere({ HOST: '203.0.113.7' })).rejects.toEqual(
      new InvalidSetting('HOST: 203.0.113.7 is no address of this machine'),
    )
  })

  test('where railyard sandbox has the books of the simulated payment services', async () => {
    const data = await instance()
    const simulator = await startSimulator({
      clock: systemClock,
      booksFile: join(data, 'sandbox-books.jsonl'),
    })
    await expect(startHere({ DATA_DIR: data })).rejects.toThrow(
      /is in use by the sandbox's providers of process \d+ since \S+: if that is railyard sandbox, set SANDBOX_URL to its address, /,
    )
    await simulator.close()
  })

  test('where the encryption key is not the one that the database was made with', async () => {
    const data = await instance()
    expect(statSync(data).mode & 0o777).toBe(0o700)
    const other = Buffer.alloc(32, 7).toString('base64')
    expect(await start({ DATA_DIR: data, ENCRYPTION_KEY: other })).toEqual(
      refused(/ENCRYPTION_KEY is not the key that this database was made with: put the original back .*/),
    )
    writeFileSync(join(data, 'encryption_key'), other)
    await expect(startHere({ DATA_DIR: data })).rejects.toThrow(
      /^\/.*\/encryption_key is not the key that this database was made with: /,
    )
    rmSync(join(data, 'encryption_key'))
    await expect(startHere({ DATA_DIR: data })).rejects.toThrow(
      /^ENCRYPTION_KEY is unset and .*\/encryption_key is missing: /,
    )
  })

  test('where RAILYARD_ENV is unset in the image, with any command', async () => {
    const line = /RAILYARD_ENV must be set to sandbox or production: .*/
    const run = (args: string[], more: Record<string, string>) =>
      launch(['src/main.js', '--environment-required', ...args], env({ DATA_DIR: folder(), ...more }), /(?!)/)
        .ended
    expect(await run(['start'], {})).toEqual(refused(line))
    expect(await run(['start', '--role', 'all'], { RAILYARD_ENV: '' })).toEqual(refused(line))
    expect(await run(['migrate'], {})).toEqual(refused(line))
    expect(await run(['migrate'], { RAILYARD_ENV: 'sandbox' })).toMatchObject({ code: 0 })
  })

  test('where the database is of the other environment', async () => {
    const sandbox = await instance()
    await expect(startHere({ DATA_DIR: sandbox, RAILYARD_ENV: 'production' })).rejects.toThrow(
      /^this database is of RAILYARD_ENV=sandbox, and this start is of production/,
    )
    const production = folder()
    await (await startHere({ DATA_DIR: production, RAILYARD_ENV: 'production' })).close()
    await expect(startHere({ DATA_DIR: production })).rejects.toThrow(
      /^this database is of RAILYARD_ENV=production, and this start is of sandbox/,
    )
    await (await startHere({ DATA_DIR: production, RAILYARD_ENV: 'production' })).close()
  })
})

test('a process that Node restarts on change (`npm run dev`) opens the embedded database', async () => {
  const railyard = launch(
    ['--watch', 'src/cli/run.ts', 'start'],
    env({ DATA_DIR: await instance() }),
    /API +(http:\S+)\n/,
  )
  const { url } = await railyard.ready
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  await railyard.stop()
})

test('Ctrl-C under npm, of which the process gets two signals, is one orderly stop', async () => {
  const railyard = launchRailyard(env({ DATA_DIR: await instance(), LOG_LEVEL: 'info' }))
  await railyard.ready
  process.kill(railyard.pid, 'SIGINT')
  await railyard.printed('"msg":"stopping"')
  process.kill(railyard.pid, 'SIGINT')
  const { code, output } = await railyard.ended
  expect(code).toBe(0)
  expect(output.match(/"msg":"(stopping|stopped)"/g)).toEqual(['"msg":"stopping"', '"msg":"stopped"'])
})

/** A bearer token; in a log, its readers could use it. */
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/

/** The warnings of an output, which are lines of the log. */
const warningsIn = (output: string): string[] =>
  output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    .filter(({ level }) => level === 40)
    .map(({ msg }) => msg)
const warning = (text: RegExp) => expect.arrayContaining([expect.stringMatching(text)])

describe('a start warns in the log', () => {
  test('where no process answers at SANDBOX_URL', async () => {
    const railyard = launchRailyard(env({ DATA_DIR: await instance(), SANDBOX_URL: 'http://127.0.0.1:9' }))
    await railyard.ready
    expect(warningsIn((await railyard.stop()).output)).toEqual(
      warning(
        /^the simulated payment services do not answer at SANDBOX_URL, http:\/\/127\.0\.0\.1:9: .*railyard -- sandbox/,
      ),
    )
  })

  test('that it is the sandbox, and which database and key it uses', async () => {
    const data = await instance()
    const railyard = launchRailyard(env({ DATA_DIR: data }))
    const { url } = await railyard.ready
    const { output } = await railyard.stop()
    expect(output).toContain(`  Dashboard  ${url}/dashboard\n  Sign in    ${url}/sign-in/`)
    expect(output).toMatch(/^This is the sandbox: payment services are simulated, and no money moves\./m)
    expect(output).toContain(
      `  Database   embedded database in ${data}\n  Encrypted  with ${join(data, 'encryption_key')}\n`,
    )
    const lines = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    const notice = lines.filter(({ msg }) => /^This is the sandbox: /.test(msg))
    expect(notice).toMatchObject([
      { level: 40, database: `embedded database in ${data}`, encryption_key: join(data, 'encryption_key') },
    ])
  })

  test('where embedded production has its keys beside the database, and not if they are in another place', async () => {
    const data = folder()
    const production = { DATA_DIR: data, RAILYARD_ENV: 'production' }
    const first = launchRailyard(env(production))
    await first.ready
    const { output } = await first.stop()
    expect(warningsIn(output)).toEqual(
      warning(/^the encryption key is .*\/encryption_key, beside the database that it opens: /),
    )
    expect(warningsIn(output)).toEqual(
      warning(/\/private_key\.pem is the private key of an administrator, beside the database: /),
    )
    expect(output).not.toContain('This is the sandbox')
    expect(output).not.toContain('/sign-in/')
    const ENCRYPTION_KEY = readFileSync(join(data, 'encryption_key'), 'utf8').trim()
    rmSync(join(data, 'encryption_key'))
    rmSync(join(data, 'private_key.pem'))
    const second = launchRailyard(env({ ...production, ENCRYPTION_KEY }))
    await second.ready
    expect((await second.stop()).output).not.toContain('beside the database')
  })

  test('where production has no payment service, and a variable may be misspelt', async () => {
    const misspelt = { RETENTION_MONTH: '13' }
    const railyard = launchRailyard(env({ DATA_DIR: folder(), RAILYARD_ENV: 'production', ...misspelt }))
    await railyard.ready
    const { output } = await railyard.stop()
    expect(warningsIn(output)).toEqual(warning(/payment service/))
    expect(warningsIn(output)).toEqual(
      warning(/^RETENTION_MONTH is not a setting and has no effect: is RETENTION_MONTHS meant\?$/),
    )
    expect(output).not.toMatch(token)
    expect(output).toContain('npm run -s railyard -- token')
  })

  test('where no merchant account has a payment service, and not otherwise', async () => {
    const data = await instance()
    const first = launchRailyard(env({ DATA_DIR: data }))
    const { url } = await first.ready
    const { output: bearer } = await launch(
      ['src/main.js', 'token', '--scopes', '*.read,*.write'],
      { DATA_DIR: data },
      /(?!)/,
    ).ended
    const headers = { authorization: `Bearer ${bearer.trim()}` }
    const services = (await (await fetch(`${url}/payment-services`, { headers })).json()) as {
      items: { id: string }[]
    }
    for (const { id } of services.items)
      expect((await fetch(`${url}/payment-services/${id}`, { method: 'DELETE', headers })).status).toBe(204)
    const { output } = await first.stop()
    expect(warningsIn(output)).toEqual([expect.stringMatching(/^This is the sandbox: /)])
    // the output has a first payment to paste
    expect(output).toMatch(token)
    const second = launchRailyard(env({ DATA_DIR: data }))
    await second.ready
    expect(warningsIn((await second.stop()).output)).toEqual(
      warning(/^no merchant account has a payment service/),
    )
  })
})

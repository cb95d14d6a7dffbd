import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { intendPayment } from '../../src/operations/journal/functions/intend-payment.sql.ts'
import { recordOutcome } from '../../src/operations/journal/functions/record-outcome.sql.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { startRailyard } from '../../src/process/railyard.ts'
import { readSettings } from '../../src/settings.ts'
import { answer } from '../assistant.ts'
import { pay } from './payment.ts'

/** A real payment's statements and its answer. */
export interface Recording {
  statements: { text: string; values: unknown[] }[]
  answer: { id: string } & Record<string, unknown>
}

answer(async (): Promise<Recording> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-bench-'))
  const railyard = await startRailyard(readSettings({ DATA_DIR: dataDir, PORT: '0' }), {
    inMemory: true,
    log: pino({ level: 'silent' }),
  })
  const statements: Recording['statements'] = []
  const { world, url } = railyard
  const { run } = world
  world.run = (text, values) => {
    if (text === intendPayment.text || text === recordOutcome.text)
      statements.push({ text, values: [...values] })
    return run(text, values)
  }
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir }), 'utf8'))
  const token = await signToken(signer, { scopes: ['*.write'], expiresIn: 60 }, Date.now())
  const paid = await pay({ url, token })
  await railyard.close()
  await rm(dataDir, { recursive: true })
  if (statements.length !== 2)
    throw new Error(`a payment is two statements, this one was ${statements.length}`)
  return { statements, answer: paid }
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isUuid } from '../api/values/uuid.ts'
import { exportCapsule } from '../capsules/export-capsule.ts'
import { InvalidCapsule, readCapsule } from '../capsules/read-capsule.ts'
import { replayCapsule } from '../capsules/replay-capsule.ts'
import type { Settings } from '../settings.ts'
import { withDatabase } from './support/command-database.ts'
import { requireFile } from './support/require-file.ts'
import { UserError } from './support/user-error.ts'

/** `railyard capsule export`: writes a capsule into a new file, or prints it. */
export async function exportPayment(
  settings: Settings,
  payment: string,
  { account, out }: { account: string; out?: string },
): Promise<void> {
  if (!isUuid(payment)) throw new UserError('<payment> is the id of a transaction')
  const capsule = await withDatabase(settings, (database) => exportCapsule(database, account, payment))
  if (!capsule) throw new UserError(`the merchant account ${account} has no transaction ${payment}`)
  const text = `${JSON.stringify(capsule, null, 2)}\n`
  if (out === undefined) return void process.stdout.write(text)
  await writeFile(out, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${out} cannot be written: ${error.message}`)
  })
  console.log(
    `${out}: ${capsule.operations.length} operations, ${capsule.actions.length} later requests. Read it before you pass it on.`,
  )
}

/** `railyard capsule replay`: answers the exit code, 1 if there is a difference. */
export async function replayPayment(file: string): Promise<number> {
  await requireFile(file)
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-capsule-'))
  try {
    const result = await replayCapsule(await readCapsule(file), dataDir)
    console.log(
      result.same
        ? `The same: ${result.steps} requests, with the recorded outcomes.`
        : `The first difference: ${result.difference}`,
    )
    return result.same ? 0 : 1
  } catch (error) {
    throw error instanceof InvalidCapsule ? new UserError(error.message) : error
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

import { constants } from 'node:fs'
import { access, cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchRailyard } from '../crash/process.ts'

/** The environment variable with its folder; set by the default export before threads start. */
const PLACE = 'TEST_MADE_INSTANCE'

/** For a run of the tests: the place of the instance that `makeInstance` copies. */
export default async function prepareInstanceFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-made-'))
  process.env[PLACE] = join(folder, 'instance')
  return () => rm(folder, { recursive: true, force: true })
}

/**
 * Makes `folder` the DATA_DIR of an instance that was started once and stopped, a copy of the same one each
 * time. A first start takes seconds of processor time and an fsync for each file, so tests that do not test
 * it begin with this. For the embedded database only.
 */
export async function makeInstance(folder: string): Promise<void> {
  const made = process.env[PLACE]
  if (!made) throw new Error(`${PLACE} is unset: vitest.config.ts names this file in its globalSetup`)
  await access(made).catch(() => startOnce(made))
  await cp(made, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

/** Renamed when it is complete. If two threads make it, one copy is discarded. */
async function startOnce(made: string): Promise<void> {
  const partial = await mkdtemp(`${made}-`)
  const railyard = launchRailyard({ DATA_DIR: partial, PORT: '0', LOG_LEVEL: 'warn' })
  await railyard.ready
  await railyard.stop()
  await rename(partial, made).catch(() => access(made))
}

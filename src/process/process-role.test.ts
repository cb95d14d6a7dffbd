import { expect, test } from 'vitest'
import { InvalidSetting, readSettings } from '../settings.ts'
import { startRailyard } from './railyard.ts'

const starting = (env: Record<string, string>) =>
  startRailyard(readSettings({ PORT: '0', DATA_DIR: '/nowhere', ...env }))
const elsewhere = { DATABASE_URL: 'postgres://127.0.0.1:9/none' }

test('ROLE=api and ROLE=worker are refused on the embedded database', async () => {
  await expect(starting({ ROLE: 'api' })).rejects.toThrow(
    new InvalidSetting(
      'ROLE: api needs PostgreSQL (DATABASE_URL); the embedded database has one process, ROLE=all',
    ),
  )
  await expect(starting({ ROLE: 'worker' })).rejects.toThrow('ROLE: worker needs PostgreSQL')
})

test('ROLE=api needs PUBLIC_URL in production: its links would lead buyers to their own machine', async () => {
  const settings = { ROLE: 'api', RAILYARD_ENV: 'production', ENCRYPTION_KEY: `${'A'.repeat(43)}=` }
  await expect(starting({ ...settings, ...elsewhere })).rejects.toThrow(
    new InvalidSetting(
      'PUBLIC_URL must be set for ROLE=api in production: the links that it writes are for other machines',
    ),
  )
})

test('ROLE=worker needs PUBLIC_URL, and in the sandbox SANDBOX_URL', async () => {
  await expect(starting({ ROLE: 'worker', ...elsewhere })).rejects.toThrow(
    'PUBLIC_URL must be set for ROLE=worker',
  )
  const alone = starting({ ROLE: 'worker', PUBLIC_URL: 'https://pay.example.com', ...elsewhere })
  await expect(alone).rejects.toThrow(
    /^SANDBOX_URL must be set for ROLE=worker: .*npm run railyard -- sandbox --port 8090/,
  )
})

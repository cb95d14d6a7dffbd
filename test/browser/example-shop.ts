import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertKeyPair } from '../../src/accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../../src/accounts/api-keys/private-key.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'

/** The example merchant as a separate process, with its own account. */
export interface ExampleShop extends Shop {
  url: string
  close(): Promise<void>
}

export async function startExampleShop(
  railyard: TestRailyard,
  env: Record<string, string> = {},
): Promise<ExampleShop> {
  const shop = await openShop(railyard)
  const { privateKeyPem, thumbprint, publicJwk } = await generateKey('ES512')
  const key = {
    displayName: 'Example',
    algorithm: 'ES512',
    thumbprint,
    publicJwk,
    roleIds: ['administrator'],
    merchantAccountIds: [shop.account],
  } as const
  await insertKeyPair(railyard.world, {
    ...key,
    roleIds: [...key.roleIds],
    merchantAccountIds: [...key.merchantAccountIds],
  })
  const folder = await mkdtemp(join(tmpdir(), 'example-shop-'))
  await writeFile(join(folder, 'private_key.pem'), privateKeyPem)
  const server = spawn(process.execPath, ['examples/merchant/server.mjs'], {
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: folder,
      RAILYARD_URL: railyard.url,
      MERCHANT_ACCOUNT_ID: shop.account,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'exit').then(() => ['the example shop did not start']),
  ])
  const url = /^the example shop is at (\S+)\n$/.exec(String(line))?.[1]
  if (!url) throw new Error(String(line))
  return {
    ...shop,
    url,
    async close() {
      server.kill()
      await once(server, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

import { readFile } from 'node:fs/promises'
import { readSigner, type Signer } from '../accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../process/create-instance.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './support/user-error.ts'

/**
 * The private key that a command signs tokens with: of the file `key`, or the instance's first. `algorithm`
 * is for an RSA key, which fits two algorithms. Throws `UserError` if there is no such key.
 */
export async function readTokenSigner(
  settings: Settings,
  key: string | undefined,
  algorithm = 'RS512',
): Promise<Signer> {
  if (algorithm !== 'RS512' && algorithm !== 'RS256')
    throw new UserError('--algorithm is for RSA keys: RS512 or RS256. The other kinds of keys have one each')
  const file = key ?? privateKeyFile(settings)
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new UserError(
      key
        ? `--key: ${file} cannot be read`
        : `${file} cannot be read: a first start makes it, and railyard keys create any other; name one with --key`,
    )
  })
  return readSigner(pem, algorithm).catch(() => {
    throw new UserError(`${file} does not hold a private key (PKCS #8 PEM)`)
  })
}

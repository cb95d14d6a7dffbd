import { serviceUnavailable } from '../../api/errors.ts'
import type { ProviderHttp } from '../../connectors/wire/http.ts'
import type { KeyProvider } from './key-provider.ts'

export interface KmsOptions {
  url: string
  keyId: string
  token: string
}

/**
 * Master keys that never leave a key service (docs/operations/keys.md has the protocol). A service that does
 * not answer, or refuses us, is a 503: nothing is sealed or opened meanwhile. Answers and tokens stay out of
 * errors and logs; only the status, or why there was no answer, is logged.
 */
export function kmsKeys(http: ProviderHttp, { url, keyId, token }: KmsOptions): KeyProvider {
  async function request(
    verb: 'encrypt' | 'decrypt',
    body: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    const answer = await http.request({
      method: 'POST',
      url: `${url}/${verb}`,
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    if (answer.lost) throw serviceUnavailable(`the key service (KMS_URL) did not ${verb}: ${answer.reason}`)
    if (answer.status === 200) return answer.body
    // the service works, and says that this ciphertext is not one of this key and row
    if (answer.status === 400) throw new Error(`the key service refuses to ${verb}`)
    throw serviceUnavailable(`the key service (KMS_URL) did not ${verb}: it answered ${answer.status}`)
  }
  const wrap: KeyProvider['wrap'] = async (dataKey, context) => {
    const answer = await request('encrypt', { key_id: keyId, plaintext: dataKey.toString('base64'), context })
    return { keyId: textOf(answer, 'key_id'), wrapped: bytesOf(answer, 'ciphertext') }
  }
  return {
    // the service may answer with a version of the key, and with a newer one after it has rotated the key
    currentKeyId: async () => (await wrap(Buffer.alloc(32), 'which key')).keyId,
    // the versions of the key are internal to the service
    names: async () => [`key service ${keyId}`],
    wrap,
    async unwrap(key, context) {
      const answer = await request('decrypt', {
        key_id: key.keyId,
        ciphertext: key.wrapped.toString('base64'),
        context,
      })
      return bytesOf(answer, 'plaintext')
    },
  }
}

function textOf(answer: Record<string, unknown>, name: string): string {
  const value = answer[name]
  if (typeof value === 'string' && value !== '') return value
  throw serviceUnavailable(`the key service (KMS_URL) answered without ${name}`)
}

function bytesOf(answer: Record<string, unknown>, name: string): Buffer {
  const bytes = Buffer.from(textOf(answer, name), 'base64')
  if (bytes.length > 0) return bytes
  throw serviceUnavailable(`the key service (KMS_URL) answered a ${name} that is not base64`)
}

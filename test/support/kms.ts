import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

/** A key service as docs/operations/keys.md describes it, with versions of each key. */
export interface TestKms {
  /** Its settings. */
  env: { KMS_URL: string; KMS_KEY_ID: string; KMS_TOKEN: string }
  /** The number of its calls. */
  calls: number
  /** The next encryptions are under a new version. */
  rotate(): void
  /** Its answer from now on: a status, half an answer, or none; undefined: it works again. */
  fail(how: number | 'malformed' | 'reset' | undefined): void
}

interface Message {
  key_id: string
  plaintext?: string
  ciphertext?: string
  context: string
}

export async function startKms(): Promise<TestKms> {
  const token = `token-${randomBytes(8).toString('hex')}`
  const versions = [randomBytes(32)]
  let failure: number | 'malformed' | 'reset' | undefined

  function encrypt({ key_id, plaintext = '', context }: Message) {
    const [key = Buffer.alloc(0)] = versions.slice(-1)
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
    const bytes = [nonce, cipher.update(plaintext, 'base64'), cipher.final(), cipher.getAuthTag()]
    return { key_id: `${key_id}:v${versions.length}`, ciphertext: Buffer.concat(bytes).toString('base64') }
  }
  function decrypt({ key_id, ciphertext = '', context }: Message) {
    const key = versions[Number(/:v(\d+)$/.exec(key_id)?.[1]) - 1] ?? Buffer.alloc(0)
    const bytes = Buffer.from(ciphertext, 'base64')
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-16))
    return {
      plaintext: Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]).toString('base64'),
    }
  }
  const server = createServer(async (request, response) => {
    kms.calls++
    const body = Buffer.concat(await Array.fromAsync(request, (chunk) => Buffer.from(chunk))).toString()
    if (failure === 'reset') return request.socket.destroy()
    const answer = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    if (failure === 'malformed') return answer(200, '{"key_id": "k", "ciphertext": 7}')
    if (failure) return answer(failure, JSON.stringify({ echo: body }))
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, '{}')
    try {
      answer(
        200,
        JSON.stringify(request.url === '/encrypt' ? encrypt(JSON.parse(body)) : decrypt(JSON.parse(body))),
      )
    } catch {
      answer(400, '{}')
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const kms: TestKms = {
    env: { KMS_URL: `http://127.0.0.1:${port}`, KMS_KEY_ID: 'railyard', KMS_TOKEN: token },
    calls: 0,
    rotate: () => void versions.push(randomBytes(32)),
    fail(how) {
      failure = how
    },
  }
  return kms
}

import { webcrypto } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { text } from 'node:stream/consumers'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { FakeProvider } from '../../../src/connector-kit/fake-provider.ts'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'

const methods: readonly HttpRequest['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A fake provider on a server of this machine, for the provider's own library. `isTls`: one that speaks TLS. */
export async function serveFake(fake: FakeProvider, { isTls = false } = {}) {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = fake.receive(await toRequest(incoming))
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const server = isTls ? createTlsServer(await loopbackCertificate(), answer) : createServer(answer)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  return {
    port: address.port,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function toRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const body = await text(incoming)
  const { 'content-type': type, ...headers } = incoming.headers
  const isForm = type?.startsWith('application/x-www-form-urlencoded')
  return {
    method: methods.find((method) => method === incoming.method) ?? 'GET',
    url: `http://127.0.0.1${incoming.url}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`])),
    ...(body !== '' &&
      (isForm ? { form: Object.fromEntries(new URLSearchParams(body)) } : { body: JSON.parse(body) })),
  }
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** A certificate for this machine, and its key, as PEM. */
async function loopbackCertificate() {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=127.0.0.1',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true),
      new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  })
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const key = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
  return { cert: certificate.toString('pem'), key }
}

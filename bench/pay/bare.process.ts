import Fastify from 'fastify'
import { importJWK } from 'jose'
import type { App } from '../../src/api/app.ts'
import { createAuthentication, identifyByBearer } from '../../src/api/auth/caller.ts'
import { type Algorithm, tokenVerifier } from '../../src/api/auth/token.ts'
import { idempotencyHeaders } from '../../src/api/headers.ts'
import { serializerCompiler } from '../../src/api/server/serialization.ts'
import { validatorCompiler } from '../../src/api/server/validation.ts'
import { systemClock } from '../../src/base/clock.ts'
import { Transaction, TransactionCreate } from '../../src/transactions/transaction.schema.ts'
import { answer } from '../assistant.ts'

export interface BareQuestion {
  publicJwk: Record<string, unknown>
  algorithm: Algorithm
  /** The answer to every request. */
  answer: Record<string, unknown>
}

/** The route of a payment with its schemas and token but without database and provider. */
answer(async (question: BareQuestion): Promise<{ url: string }> => {
  const publicKey = await importJWK(question.publicJwk, question.algorithm)
  if (publicKey instanceof Uint8Array) throw new TypeError('not a public key')
  const key = {
    id: '',
    displayName: '',
    algorithm: question.algorithm,
    publicKey,
    scopes: ['*.write'],
    merchantAccountIds: [],
    mustNameAccount: false,
  }
  const authenticate = createAuthentication(identifyByBearer(tokenVerifier(systemClock, async () => key)), {
    accountExists: async () => true,
  })
  const app: App = Fastify({ logger: false }) as unknown as App
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('onRequest', (request) => authenticate(request))
  app.post(
    '/transactions',
    {
      config: { scopes: ['transactions.write'] },
      schema: { headers: idempotencyHeaders, body: TransactionCreate, response: { 201: Transaction } },
    },
    async (_request, reply) => reply.code(201).send(question.answer as unknown as Transaction),
  )
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }) }
})
